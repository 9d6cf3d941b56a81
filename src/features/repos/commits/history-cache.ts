/**
 * Pages of the history before a commit. They never change, and the history of one path is found by a
 * walk over all commits before it, so a page that was read is kept. Who may read the commit is
 * checked before.
 */
import type { Commit, LogOptions } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'

const MAX_BYTES = 8 * 1024 * 1024
/** What a commit takes besides its texts. */
const COMMIT_BYTES = 600

const sizeOfCommit = ({ message, signature }: Commit): number =>
  COMMIT_BYTES +
  2 * message.length +
  (signature === null ? 0 : 2 * signature.armored.length + signature.signed.length)

const histories = cache<readonly Commit[]>('histories', {
  maxSize: MAX_BYTES,
  sizeOf: (commits) => commits.reduce((bytes, commit) => bytes + sizeOfCommit(commit), 1),
})

/** `git.log` of a repository's store. */
export async function readHistory(
  hearth: Hearth,
  store: string,
  options: LogOptions,
): Promise<readonly Commit[]> {
  const kept = histories(hearth)
  const key = JSON.stringify([store, options])
  const known = kept.get(key)
  if (known !== undefined) return known
  const commits = await hearth.git.log(store, options)
  kept.set(key, commits)
  return commits
}
