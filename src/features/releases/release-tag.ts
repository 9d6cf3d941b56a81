/** The tag of a release: an existing one, or one created at publication. */
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
  requireMovesAllowed,
  resolveCommit,
  tagRef,
} from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'

type TagRepo = Pick<RepoGrant, 'id' | 'store'>

/**
 * Returns the commit of an existing tag; null when there is no such tag. Throws 422 for a tag of
 * another object type.
 */
export async function findCommitOfTag(
  hearth: Hearth,
  repo: TagRepo,
  tag_name: string,
): Promise<Oid | null> {
  const ref = findRef(hearth.db, repo.id, tagRef(tag_name))
  if (!ref) return null
  const commit = await hearth.git.peelToCommit(repo.store, ref.peeled ?? ref.oid)
  if (commit === null) throw invalid('tag_name', `the tag ${tag_name} names no commit`)
  return commit
}

/** Returns the commit that would be released now. Throws 404 when the target does not exist. */
export const findTarget = async (
  hearth: Hearth,
  repo: TagRepo,
  tag_name: string,
  target_name: string,
): Promise<Oid> =>
  (await findCommitOfTag(hearth, repo, tag_name)) ??
  (await resolveCommit(hearth, repo, target_name, 'target'))

export type PreparedTag = {
  readonly target: Oid
  /**
   * Creates the tag if it is missing. Throws 409 when it changed meanwhile, or when a rule forbids
   * it.
   */
  make(tx: Tx): void
}

/**
 * Finds the tag, or prepares one at `target_name`. Throws 409 `rule` when it may not be created.
 */
export async function prepareTag(
  hearth: Hearth,
  repo: TagRepo,
  caller: SignedIn,
  tag_name: string,
  target_name: string,
): Promise<PreparedTag> {
  const name = tagRef(tag_name)
  const moved = () =>
    conflict('base_moved', `the tag ${tag_name} was made, moved or deleted meanwhile: try again`, {
      ref: name,
    })
  const there = await findCommitOfTag(hearth, repo, tag_name)
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
  const guard = await requireMovesAllowed(hearth, repo.id, caller, updates)
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
