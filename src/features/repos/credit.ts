/**
 * What pages say of the commit that changed something last: little enough to keep for every line
 * and every file.
 */
import type { Commit, Oid, Signature } from '#git'
import { titleOf } from './commit-records.ts'

/** `time` is the committer's, in seconds since 1970. */
export type Credit = {
  readonly oid: Oid
  readonly title: string
  readonly author: Signature
  readonly time: number
}

export const creditOf = ({ oid, message, author, committer }: Commit): Credit => ({
  oid,
  title: titleOf(message),
  author,
  time: committer.time,
})

/** Makes each commit's credit once, however often it is asked for. */
export function creditor(): (commit: Commit) => Credit {
  const made = new Map<Oid, Credit>()
  return (commit) => {
    let credit = made.get(commit.oid)
    if (!credit) made.set(commit.oid, (credit = creditOf(commit)))
    return credit
  }
}
