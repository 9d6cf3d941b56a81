/** The commit whose dependencies are asked for. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { headCommit, resolveCommit } from '#features/repos/index.ts'
import type { Oid } from '#git'

/** Null while the repository is empty. Throws 404 for a ref that is not there. */
export async function commitOf(
  hearth: Hearth,
  repo: RepoGrant,
  ref: string | undefined,
): Promise<Oid | null> {
  return ref === undefined ? headCommit(hearth, repo) : resolveCommit(hearth, repo, ref)
}
