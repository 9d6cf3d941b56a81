/**
 * The few facts about a commit that pages show beside lines and files. Small enough to cache for
 * every line and every file.
 */
import type { Commit, Oid, Signature } from '#git'
import { titleOf } from '../commits/commit-records.ts'

/** `time` is the committer's time, in seconds since 1970. */
export type CommitSummary = {
  readonly oid: Oid
  readonly title: string
  readonly author: Signature
  readonly time: number
}

export const summarizeCommit = ({ oid, message, author, committer }: Commit): CommitSummary => ({
  oid,
  title: titleOf(message),
  author,
  time: committer.time,
})

/** Returns a function that summarizes each commit once and shares the value. */
export function commitSummarizer(): (commit: Commit) => CommitSummary {
  const made = new Map<Oid, CommitSummary>()
  return (commit) => {
    let credit = made.get(commit.oid)
    if (!credit) made.set(commit.oid, (credit = summarizeCommit(commit)))
    return credit
  }
}
