/**
 * SQL for marks: records of what the index has to update. They are written in the transaction of
 * the change, so none is lost.
 */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export type MarkKind = 'record' | 'repo' | 'code'
export type Mark = {
  readonly kind: MarkKind
  readonly repo_id: string
  readonly number: number
  readonly version: number
}

export function putMark(tx: Tx, kind: MarkKind, repo_id: string, number = 0): void {
  tx.db.append(
    'INSERT INTO search_marks (kind, repo_id, number) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET version = version + 1',
    kind,
    repo_id,
    number,
  )
}

export const listMarks = (db: Db, kind: MarkKind, limit: number): Mark[] =>
  db.all<Mark>(
    'SELECT kind, repo_id, number, version FROM search_marks WHERE kind = ? ORDER BY repo_id, number LIMIT ?',
    kind,
    limit,
  )

export const hasMarks = (db: Db): boolean => db.one('SELECT 1 FROM search_marks LIMIT 1') !== null

/** Deletes marks, except those that were set again since they were read. */
export function removeMarks(tx: Tx, marks: readonly Mark[]): void {
  for (const { kind, repo_id, number, version } of marks) {
    tx.db.run(
      'DELETE FROM search_marks WHERE kind = ? AND repo_id = ? AND number = ? AND version = ?',
      kind,
      repo_id,
      number,
      version,
    )
  }
}

/**
 * Deletes marks of issues and pull requests of a purged repository. The repository's own mark
 * removes all of it from the index.
 */
export const removeRecordMarks = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM search_marks WHERE (kind, repo_id, number) IN (SELECT kind, repo_id, number FROM search_marks WHERE kind = 'record' AND repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  )

/** The path of the database file, for the threads that read it. */
export const databasePath = (db: Db): string =>
  db.all<{ name: string; file: string }>('PRAGMA database_list').find(({ name }) => name === 'main')
    ?.file ?? ''
