/** Updates the head of a pull request with its base, by a merge commit or by a rebase. */
import type { Hearth } from '#core/hearth.ts'
import type { MergeResult, Oid, Signature } from '#git'
import { conflict } from '#lib/errors.ts'
import type { PullContext } from '../pull-context.ts'
import type { PullRow } from '../store-pulls.ts'

export type UpdatedHead = Extract<MergeResult, { commit: string }>

/** Builds the new head. Throws 409 `conflicts` with the paths in `conflict_paths`. */
export async function buildUpdate(
  hearth: Hearth,
  { repo }: PullContext,
  pull: PullRow,
  { head, method, by }: { head: Oid; method: 'merge' | 'rebase'; by: Signature },
): Promise<UpdatedHead> {
  const { base_sha, base_ref } = pull
  const message = `Merge ${base_ref} into ${pull.head_ref ?? 'the head'}\n`
  const landing =
    method === 'merge'
      ? await hearth.git.merge(repo.store, {
          method,
          base: head,
          head: base_sha,
          message,
          author: by,
          committer: by,
        })
      : await hearth.git.merge(repo.store, {
          method,
          base: base_sha,
          head,
          message,
          author: by,
          committer: by,
        })
  if ('conflicts' in landing) {
    throw conflict(
      'conflicts',
      `${base_ref} cannot be brought in by ${method}: ${landing.conflicts.slice(0, 5).join(', ')} ${landing.conflicts.length === 1 ? 'conflicts' : 'conflict'}`,
      {
        conflict_paths: landing.conflicts.slice(0, 100),
      },
    )
  }
  if (method === 'rebase')
    await requireNoLostChanges(hearth, repo.store, head, base_sha, landing.tree)
  return landing
}

/**
 * Throws 409 when a rebase would lose changes: it leaves out merge commits, and one of them has
 * changes of its own.
 */
async function requireNoLostChanges(
  { git }: Hearth,
  store: string,
  head: Oid,
  base: Oid,
  tree: Oid,
): Promise<void> {
  const merged = await git.previewMerge(store, base, head)
  if ('tree' in merged && merged.tree === tree) return
  throw conflict(
    'conflicts',
    'its commits, replayed one by one, give something else than merging: a merge commit in it has changes of its own. Use the method merge',
    { conflict_paths: [] },
  )
}
