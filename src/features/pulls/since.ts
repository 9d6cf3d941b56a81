/**
 * Commits that a caller names on a pull request: the present head, an earlier one, or any commit of
 * the change.
 */
import { GitError, type Git, type Oid } from '#git'
import { invalid } from '#lib/errors.ts'
import type { Db } from '#core/db.ts'
import { listHeads, type PullRow } from './store.ts'

/**
 * The commit that a prefix of an id means here. Gives 422 for everything that was never part of
 * this pull request, so that nobody can read by its id what no ref of theirs reaches.
 */
export async function commitOfPull(
  hearth: { db: Db; git: Git },
  store: string,
  pull: PullRow,
  prefix: string,
  field: string,
): Promise<Oid> {
  const unknown = () => invalid(field, `${prefix} is not a commit of #${pull.number}`)
  const heads = listHeads(hearth.db, pull.id, prefix)
  if (heads.length > 1) throw invalid(field, `${prefix} could be several commits; give more digits`)
  if (heads[0] !== undefined) return heads[0]
  const oid = pull.head_sha === null ? null : await hearth.git.expand(store, prefix)
  if (oid === null || pull.head_sha === null) throw unknown()
  const reaches = async (tip: Oid) => hearth.git.isReachable(store, oid, [tip])
  if (!(await reaches(pull.head_sha)) || (await reaches(pull.base_sha))) throw unknown()
  return oid
}

/** Says that commits are gone: a closed pull request outlives its fork. */
export const isGone = (error: unknown): boolean =>
  error instanceof GitError && error.code === 'missing'
