/**
 * Finds the deleted repository that an input names. Several deleted repositories may have had the
 * same name, and a live one may have it now.
 */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { Type } from '#core/schema.ts'
import { conflict, notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import { repoById, type RepoRow } from '../store/repos.ts'
import { findDeleted } from '../store/deleted-repos.ts'

/** Needed only when several deleted repositories had the same name. */
export const DeletedId = Type.Optional(
  Type.String({
    maxLength: 100,
    description:
      'The id of the deleted repository, when several had this name; else the last deleted.',
  }),
)

/**
 * Returns the deleted repository with this id, or else the last deleted one of this name. Throws
 * 404 when its restore period is over, and 409 when no repository of that name is deleted.
 */
export function requireDeletedRepo(
  db: Db,
  repo: RepoGrant,
  id: string | undefined,
  now: Timestamp,
): RepoRow {
  const row = id === undefined ? findDeleted(db, repo.workspace_id, repo.name) : repoById(db, id)
  const fits =
    row !== null &&
    row.workspace_id === repo.workspace_id &&
    row.parent_id === null &&
    row.name.toLowerCase() === repo.name.toLowerCase()
  if (id !== undefined && !fits)
    throw notFound(`a deleted repository ${repo.full_name} with the id ${id}`)
  if (!fits || row.deleted_at === null)
    throw conflict('not_available', `${repo.full_name} is not deleted`)
  if (row.purged_at !== null || (row.purge_at !== null && row.purge_at <= now))
    throw notFound(`the repository ${repo.full_name}`)
  return row
}
