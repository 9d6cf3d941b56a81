/**
 * Other branches than the default one: taken in when somebody with an account asks for one, kept
 * for a week after the last question. Blobs are shared with the default branch, so it costs what
 * differs.
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { factsOf, repoById, viewerRole, type RepoRow } from '#features/repos/index.ts'
import { searchIndex } from './search-index.ts'
import { scopeOf } from './sight.ts'
import { takeCode } from './take-code.ts'

/**
 * So long a search waits for a branch to be taken in; then it answers with what is there, and a job
 * goes on.
 */
const PATIENCE_MS = 1_000

/**
 * Goes on until it is done or `until`, unless somebody else is at it already; gives whether it is
 * done.
 */
async function take(
  hearth: Hearth,
  repo: RepoRow,
  branch: string,
  until: () => boolean,
): Promise<boolean> {
  const index = searchIndex(hearth)
  const key = `${repo.id} ${branch}`
  if (index.branches.has(key)) return false
  index.branches.add(key)
  try {
    for await (const _ of takeCode(hearth, index, repo, branch)) if (until()) return false
    return true
  } finally {
    index.branches.delete(key)
  }
}

export const takeBranch = job<{ repo_id: string; branch: string }>({
  kind: 'take_search_branch',
  run: async ({ hearth, signal }, { repo_id, branch }) => {
    const repo = repoById(hearth.db, repo_id)
    if (repo && repo.purged_at === null) await take(hearth, repo, branch, () => signal.aborted)
  },
})

/** Makes a branch searchable before it is searched, for a caller who may read it. */
export async function prepareBranch(
  hearth: Hearth,
  caller: Caller,
  repo_id: string,
  branch: string,
): Promise<void> {
  const repo = repoById(hearth.db, repo_id)
  const facts = repo && factsOf(hearth.db, repo, caller)
  if (
    !repo ||
    !facts ||
    facts.deleted ||
    caller.kind === 'anonymous' ||
    viewerRole(facts, caller) === null
  )
    return
  const scope = scopeOf(hearth.db, caller)
  if (
    (facts.private && !scope.inPrivate.includes('code')) ||
    (scope.bound !== null && scope.bound !== repo_id)
  )
    return
  const end = performance.now() + PATIENCE_MS
  if (await take(hearth, repo, branch, () => performance.now() > end)) return
  await writeAs(hearth, null, (tx) =>
    tx.enqueue(takeBranch, { repo_id, branch }, { key: `${repo_id} ${branch}` }),
  )
}
