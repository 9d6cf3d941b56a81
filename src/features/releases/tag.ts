/** The tag of a release: the one that is there, or one made when it is published. */
import type { Oid } from '#git'
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  auditRepo,
  findRef,
  moveRefs,
  prepareUpdates,
  requireLive,
  requireMoves,
  resolveCommit,
  tagRef,
} from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'

type Repo = Pick<RepoGrant, 'id' | 'store'>

/**
 * The commit that an existing tag names; null when there is no such tag. Gives 422 for a tag of
 * something else.
 */
export async function commitOfTag(
  hearth: Hearth,
  repo: Repo,
  tag_name: string,
): Promise<Oid | null> {
  const ref = findRef(hearth.db, repo.id, tagRef(tag_name))
  if (!ref) return null
  const commit = await hearth.git.peel(repo.store, ref.peeled ?? ref.oid)
  if (commit === null) throw invalid('tag_name', `the tag ${tag_name} names no commit`)
  return commit
}

/**
 * What a draft would release if it were published now. Gives 404 for a target that is not there.
 */
export const targetOf = async (
  hearth: Hearth,
  repo: Repo,
  tag_name: string,
  target_name: string,
): Promise<Oid> =>
  (await commitOfTag(hearth, repo, tag_name)) ??
  (await resolveCommit(hearth, repo, target_name, 'target'))

export type PreparedTag = {
  readonly target: Oid
  /**
   * Makes the tag if it was missing. Gives 409 when that changed meanwhile, or when a rule forbids
   * it.
   */
  make(tx: Tx): void
}

/**
 * Looks for the tag, and prepares one at `target_name` when it is missing. Gives 409 `rule` when it
 * may not be made.
 */
export async function prepareTag(
  hearth: Hearth,
  repo: Repo,
  caller: SignedIn,
  tag_name: string,
  target_name: string,
): Promise<PreparedTag> {
  const name = tagRef(tag_name)
  const moved = () =>
    conflict('base_moved', `the tag ${tag_name} was made, moved or deleted meanwhile: try again`, {
      ref: name,
    })
  const there = await commitOfTag(hearth, repo, tag_name)
  if (there !== null) {
    const seen = findRef(hearth.db, repo.id, name)?.oid
    return {
      target: there,
      make: (tx) => {
        if (findRef(tx.db, repo.id, name)?.oid !== seen) throw moved()
      },
    }
  }
  const target = await resolveCommit(hearth, repo, target_name, 'target')
  const updates = await prepareUpdates(hearth, repo, [{ name, old: null, new: target }])
  const guard = await requireMoves(hearth, repo.id, caller, updates)
  return {
    target,
    make: (tx) => {
      const row = requireLive(tx.db, repo.id)
      if (findRef(tx.db, repo.id, name)) throw moved()
      guard(tx)
      moveRefs(tx, repo, updates)
      auditRepo(tx, 'tag.created', row, { after: { tag: tag_name, sha: target } })
    },
  }
}
