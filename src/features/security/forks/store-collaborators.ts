/** The table `advisory_collaborators`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type CollaboratorRow = {
  readonly user_id: string
  readonly added_by: string | null
  readonly added_at: Timestamp
}

export const isInvitedToAdvisory = (
  db: Db,
  invited: { repo_id: string; advisory_id: string; person_id: string },
): boolean =>
  db.one(
    `SELECT 1 FROM advisory_collaborators c JOIN advisories a ON a.id = c.advisory_id
     WHERE c.advisory_id = ? AND c.user_id = ? AND a.repo_id = ?`,
    invited.advisory_id,
    invited.person_id,
    invited.repo_id,
  ) !== null

/** In the order in which they were invited. */
export const listCollaboratorRows = (db: Db, advisory_id: string): CollaboratorRow[] =>
  db.all<CollaboratorRow>(
    `SELECT user_id, added_by, added_at FROM advisory_collaborators WHERE advisory_id = ?
     ORDER BY added_at, user_id`,
    advisory_id,
  )

export const findCollaborator = (
  db: Db,
  advisory_id: string,
  user_id: string,
): CollaboratorRow | null =>
  db.one<CollaboratorRow>(
    `SELECT user_id, added_by, added_at FROM advisory_collaborators
     WHERE advisory_id = ? AND user_id = ?`,
    advisory_id,
    user_id,
  )

/** Returns whether the person was not invited before. */
export const insertCollaborator = (
  tx: Tx,
  row: { advisory_id: string; user_id: string; added_by: string },
): boolean =>
  tx.db.run(
    `INSERT INTO advisory_collaborators (advisory_id, user_id, added_by, added_at)
     VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    row.advisory_id,
    row.user_id,
    row.added_by,
    tx.now,
  ) > 0

/** Returns whether the person was invited. */
export const removeCollaborator = (tx: Tx, advisory_id: string, user_id: string): boolean =>
  tx.db.run(
    'DELETE FROM advisory_collaborators WHERE advisory_id = ? AND user_id = ?',
    advisory_id,
    user_id,
  ) > 0
