/**
 * Resolves commits that a caller names on a pull request: a present or earlier head, or a commit of
 * the change.
 */
import { GitError, type Git, type Oid } from '#git'
import { invalid } from '#lib/errors.ts'
import type { Db } from '#core/db.ts'
import { listHeads, type PullRow } from '../store-pulls.ts'

/**
 * Resolves a prefix of a commit id. Throws 422 for a commit that never belonged to this pull
 * request, so that nobody reads unreachable commits by their id.
 */
export async function resolvePullCommit(
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
  const oid = pull.head_sha === null ? null : await hearth.git.expandPrefix(store, prefix)
  if (oid === null || pull.head_sha === null) throw unknown()
  const reaches = async (tip: Oid) => hearth.git.isReachable(store, oid, [tip])
  if (!(await reaches(pull.head_sha)) || (await reaches(pull.base_sha))) throw unknown()
  return oid
}

/** Whether an error means that commits were removed. A closed pull request outlives its fork. */
export const areCommitsGone = (error: unknown): boolean =>
  error instanceof GitError && error.code === 'missing'
