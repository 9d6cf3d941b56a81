/**
 * Brings the base into the head of a pull request, as a merge commit or by replaying the head's
 * commits on it.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Landing, Oid, Signature } from '#git'
import { conflict } from '#lib/errors.ts'
import type { PullContext } from './context.ts'
import type { PullRow } from './store.ts'

export type Updated = Extract<Landing, { commit: string }>

/** Builds the new head. Gives 409 `conflicts` with the paths in `conflict_paths`. */
export async function buildUpdate(
  hearth: Hearth,
  { repo }: PullContext,
  pull: PullRow,
  { head, method, by }: { head: Oid; method: 'merge' | 'rebase'; by: Signature },
): Promise<Updated> {
  const { base_sha, base_ref } = pull
  const message = `Merge ${base_ref} into ${pull.head_ref ?? 'the head'}\n`
  const landing =
    method === 'merge'
      ? await hearth.git.land(repo.store, {
          method,
          base: head,
          head: base_sha,
          message,
          author: by,
          committer: by,
        })
      : await hearth.git.land(repo.store, {
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
    await requireNothingLost(hearth, repo.store, head, base_sha, landing.tree)
  return landing
}

/**
 * Replaying leaves merge commits out; when one of them had a change of its own, that would be lost.
 */
async function requireNothingLost(
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
