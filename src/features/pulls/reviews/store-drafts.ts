/** The table `review_drafts`: line comments that their author has not sent yet. */
import type { Db } from '#core/db.ts'
import { reportText } from '#core/texts.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { typeId } from '#core/ids.ts'

export type DraftRow = {
  readonly id: string
  readonly pull_id: string
  readonly author_id: string
  readonly path: string
  readonly line: number
  readonly start_line: number | null
  readonly side: 'new' | 'old'
  readonly commit_sha: Oid
  readonly body: string
  readonly created_at: string
}

/** In the order in which they were written. */
export const listDrafts = (db: Db, pull_id: string, author_id: string): DraftRow[] =>
  db.all<DraftRow>(
    'SELECT * FROM review_drafts WHERE pull_id = ? AND author_id = ? ORDER BY id',
    pull_id,
    author_id,
  )

export function insertDraft(tx: Tx, row: Omit<DraftRow, 'id' | 'created_at'>): string {
  const id = typeId('cmt', tx.now_ms)
  tx.db.run(
    `INSERT INTO review_drafts (id, pull_id, author_id, path, line, start_line, side,
      commit_sha, body, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    row.pull_id,
    row.author_id,
    row.path,
    row.line,
    row.start_line,
    row.side,
    row.commit_sha,
    row.body,
    tx.now,
  )
  reportText(tx, id, row.body)
  return id
}

export function setDraftBody(
  tx: Tx,
  pull_id: string,
  author_id: string,
  id: string,
  body: string,
): boolean {
  const changes = tx.db.run(
    'UPDATE review_drafts SET body = ? WHERE pull_id = ? AND author_id = ? AND id = ?',
    body,
    pull_id,
    author_id,
    id,
  )
  if (changes === 0) return false
  reportText(tx, id, body)
  return true
}

export const removeDraft = (tx: Tx, pull_id: string, author_id: string, id: string): boolean =>
  tx.db.run(
    'DELETE FROM review_drafts WHERE pull_id = ? AND author_id = ? AND id = ?',
    pull_id,
    author_id,
    id,
  ) > 0

export const removeDrafts = (tx: Tx, pull_id: string, author_id: string): void =>
  void tx.db.run(
    'DELETE FROM review_drafts WHERE pull_id = ? AND author_id = ?',
    pull_id,
    author_id,
  )
