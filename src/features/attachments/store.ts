/** SQL for the tables `attachments` and `attachment_texts`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'

export type AttachmentRow = {
  readonly id: string
  readonly repo_id: string
  readonly name: string
  readonly content_type: string
  readonly size_in_bytes: number
  readonly sha256: string
  readonly uploader_id: string
  readonly created_at: Timestamp
  readonly unused_since: Timestamp | null
}

/** A reader of attachments: who they are (null when anonymous) and whether they have Write. */
export type Reader = {
  readonly id: string | null
  /** The person whose agents' uploads are theirs; null for other callers. */
  readonly person_id: string | null
  readonly canWrite: boolean
}

/**
 * Whether a reader of the repository sees the attachment `a`: it is in a text that they may read,
 * or they uploaded it. ?1 is the reader's id, ?2 their person, ?3 whether they have Write.
 */
const IS_VISIBLE = `(EXISTS (SELECT 1 FROM attachment_uses u WHERE u.attachment_id = a.id
    AND (u.audience = 'read' OR (u.audience = 'write' AND ?3 = 1)
      OR (u.audience = 'author' AND u.author_id = ?1)))
  OR a.uploader_id = ?1 OR a.uploader_id = ?2
  OR (SELECT on_behalf_of FROM actors WHERE id = a.uploader_id) = ?2)`

const readerValues = ({ id, person_id, canWrite }: Reader) =>
  [id, person_id, canWrite ? 1 : 0] as const

export const findAttachment = (db: Db, id: string): AttachmentRow | null =>
  db.one<AttachmentRow>('SELECT * FROM attachments WHERE id = ?', id)

/** Throws 404 for an attachment of another repository, or one that the reader must not see. */
export function requireAttachment(
  db: Db,
  repo_id: string,
  id: string,
  reader: Reader,
): AttachmentRow {
  const row = db.one<AttachmentRow>(
    `SELECT a.* FROM attachments a WHERE a.id = ?4 AND a.repo_id = ?5 AND ${IS_VISIBLE}`,
    ...readerValues(reader),
    id,
    repo_id,
  )
  if (!row) throw notFound(`the attachment ${id.slice(0, 100)}`)
  return row
}

export const isVisible = (db: Db, id: string, reader: Reader): boolean =>
  db.one(
    `SELECT 1 FROM attachments a WHERE a.id = ?4 AND ${IS_VISIBLE}`,
    ...readerValues(reader),
    id,
  ) !== null

/** Newest first. */
export const listVisible = (
  db: Db,
  repo_id: string,
  reader: Reader,
  { before, limit }: { before: string | null; limit: number },
): AttachmentRow[] =>
  db.all<AttachmentRow>(
    `SELECT a.* FROM attachments a WHERE a.repo_id = ?4 AND (?5 IS NULL OR a.id < ?5)
       AND ${IS_VISIBLE} ORDER BY a.id DESC LIMIT ?6`,
    ...readerValues(reader),
    repo_id,
    before,
    limit,
  )

export const insertAttachment = (
  tx: Tx,
  row: Omit<AttachmentRow, 'created_at' | 'unused_since'>,
): void =>
  void tx.db.run(
    `INSERT INTO attachments (id, repo_id, name, content_type, size_in_bytes, sha256, uploader_id,
       created_at, unused_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.name,
    row.content_type,
    row.size_in_bytes,
    row.sha256,
    row.uploader_id,
    tx.now,
    tx.now,
  )

export const removeAttachment = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM attachments WHERE id = ?', id)

/** Records that a text names an attachment. */
export function insertUse(tx: Tx, attachment_id: string, text_id: string): void {
  tx.db.run(
    'INSERT OR IGNORE INTO attachment_texts (attachment_id, text_id) VALUES (?, ?)',
    attachment_id,
    text_id,
  )
  tx.db.run('UPDATE attachments SET unused_since = NULL WHERE id = ?', attachment_id)
}

/** How many uploads of an account no text names yet. */
export const countUnused = (db: Db, uploader_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM attachments WHERE uploader_id = ? AND unused_since IS NOT NULL',
    uploader_id,
  )?.count ?? 0

/** Gives what one actor uploaded to a repository to another. */
export const changeUploader = (tx: Tx, repo_id: string, from: string, to: string): void =>
  void tx.db.run(
    'UPDATE attachments SET uploader_id = ? WHERE repo_id = ? AND uploader_id = ?',
    to,
    repo_id,
    from,
  )

/** Whether any attachment has this blob. */
export const holdsBlob = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM attachments WHERE sha256 = ? LIMIT 1', sha256) !== null

export const listBlobs = (db: Db): string[] =>
  db.all<{ sha256: string }>('SELECT DISTINCT sha256 FROM attachments').map(({ sha256 }) => sha256)

/** Deletes attachments of a purged repository. The blob sweep deletes their files. */
export const removeAttachmentsOf = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM attachments WHERE id IN (SELECT id FROM attachments WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

export type CheckedUse = { readonly id: string; readonly isUsed: 0 | 1; readonly wasUsed: 0 | 1 }

/** The attachments after an id, in order, with whether a text names each now and did so before. */
export const listUses = (db: Db, after: string, limit: number): CheckedUse[] =>
  db.all<CheckedUse>(
    `SELECT a.id, a.unused_since IS NULL AS wasUsed,
       EXISTS (SELECT 1 FROM attachment_uses u WHERE u.attachment_id = a.id) AS isUsed
     FROM attachments a WHERE a.id > ? ORDER BY a.id LIMIT ?`,
    after,
    limit,
  )

export const isUsed = (db: Db, id: string): boolean =>
  db.one('SELECT 1 FROM attachment_uses WHERE attachment_id = ? LIMIT 1', id) !== null

export const setUnused = (tx: Tx, id: string, since: Timestamp | null): void =>
  void tx.db.run('UPDATE attachments SET unused_since = ? WHERE id = ?', since, id)

export const listUnusedBefore = (db: Db, before: Timestamp, limit: number): string[] =>
  db
    .all<{ id: string }>(
      'SELECT id FROM attachments WHERE unused_since < ? ORDER BY unused_since LIMIT ?',
      before,
      limit,
    )
    .map(({ id }) => id)
