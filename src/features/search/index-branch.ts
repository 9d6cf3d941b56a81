/**
 * Indexes branches other than the default branch, when a signed-in user searches one. They stay
 * indexed for a week after the last search. Blobs are shared with the default branch, so only the
 * differences are indexed.
 */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { factsOf, repoById, viewerRole, type RepoRow } from '#features/repos/index.ts'
import { searchIndex } from './search-index.ts'
import { searchScopeOf } from './search-scope.ts'
import { indexCode } from './index-code.ts'

/**
 * How long a search waits until a branch is indexed. After that it returns what is indexed, and a
 * job continues.
 */
const INDEX_TIMEOUT_MS = 1_000

/**
 * Indexes a branch until it is complete or `until` returns true, unless another call is indexing
 * it. Returns whether it is complete.
 */
async function indexUntil(
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
    for await (const _ of indexCode(hearth, index, repo, branch)) if (until()) return false
    return true
  } finally {
    index.branches.delete(key)
  }
}

export const indexBranch = job<{ repo_id: string; branch: string }>({
  kind: 'take_search_branch',
  run: async ({ hearth, signal }, { repo_id, branch }) => {
    const repo = repoById(hearth.db, repo_id)
    if (repo && repo.purged_at === null)
      await indexUntil(hearth, repo, branch, () => signal.aborted)
  },
})

/** Indexes a branch before it is searched, if the caller can read it. */
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
  const scope = searchScopeOf(hearth.db, caller)
  if (
    (facts.private && !scope.typesInPrivate.includes('code')) ||
    (scope.onlyRepo !== null && scope.onlyRepo !== repo_id)
  )
    return
  const end = performance.now() + INDEX_TIMEOUT_MS
  if (await indexUntil(hearth, repo, branch, () => performance.now() > end)) return
  await writeAs(hearth, null, (tx) =>
    tx.enqueue(indexBranch, { repo_id, branch }, { key: `${repo_id} ${branch}` }),
  )
}
