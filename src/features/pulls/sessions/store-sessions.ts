/** Rows of sessions. Counts are stored with the pull request, so that lists need not count. */
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type EntryRow = {
  pull_id: string
  seq: number
  kind: string
  text: string
  tool: string | null
  at: Timestamp
  author_id: string | null
  sha: string | null
  data: string | null
  truncated: 0 | 1
  redacted: 0 | 1
}

/** Oldest first, from after a sequence number. */
export const listEntryRows = (
  db: Db,
  pull_id: string,
  after: number,
  kind: string | null,
  limit: number,
): EntryRow[] =>
  db.all<EntryRow>(
    `SELECT * FROM session_entries WHERE pull_id = ?1 AND seq > ?2 AND (?3 IS NULL
      OR kind = ?3) ORDER BY seq LIMIT ?4`,
    pull_id,
    after,
    kind,
    limit,
  )

export const findEntry = (db: Db, pull_id: string, seq: number): EntryRow | null =>
  db.one<EntryRow>('SELECT * FROM session_entries WHERE pull_id = ? AND seq = ?', pull_id, seq)

/** The number of the last question of an author that has no answer. */
export const findLastQuestion = (db: Db, pull_id: string, author_id: string): number | null =>
  db.one<{ seq: number }>(
    `SELECT seq FROM session_entries WHERE pull_id = ? AND author_id = ? AND kind = 'question'
     AND json_extract(data, '$.answered_by') IS NULL ORDER BY seq DESC LIMIT 1`,
    pull_id,
    author_id,
  )?.seq ?? null

/**
 * The number of entries that were not written by the service, of these kinds, or of any kind when
 * none is named.
 */
export const countWritten = (db: Db, pull_id: string, kinds: readonly string[]): number =>
  memo(
    db,
    writtenMemo(kinds),
    pull_id,
    () => listWrittenCounts(db, [pull_id], kinds).get(pull_id) ?? 0,
  )

/** Preloads the same for several pull requests. */
export const preloadWritten = (
  db: Db,
  pull_ids: readonly string[],
  kinds: readonly string[],
): void =>
  preload(
    db,
    writtenMemo(kinds),
    pull_ids,
    () => listWrittenCounts(db, pull_ids, kinds),
    () => 0,
  )

const writtenMemo = (kinds: readonly string[]): string => `session entries ${kinds.join()}`

const listWrittenCounts = (
  db: Db,
  pull_ids: readonly string[],
  kinds: readonly string[],
): Map<string, number> =>
  new Map(
    db
      .all<{ pull_id: string; count: number }>(
        `SELECT pull_id, count(*) AS count FROM session_entries
         WHERE pull_id IN (SELECT value FROM json_each(?1)) AND author_id IS NOT NULL
           AND (?2 = '[]' OR kind IN (SELECT value FROM json_each(?2)))
         GROUP BY pull_id`,
        JSON.stringify(pull_ids),
        JSON.stringify(kinds),
      )
      .map(({ pull_id, count }) => [pull_id, count]),
  )

export function insertEntry(tx: Tx, row: EntryRow): void {
  tx.db.run(
    `INSERT INTO session_entries (pull_id, seq, kind, text, tool, at, author_id, sha, data,
      truncated, redacted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.pull_id,
    row.seq,
    row.kind,
    row.text,
    row.tool,
    row.at,
    row.author_id,
    row.sha,
    row.data,
    row.truncated,
    row.redacted,
  )
}

/** Adds data to an entry of the service. */
export const setEntryData = (tx: Tx, pull_id: string, seq: number, data: string): void =>
  void tx.db.run(
    'UPDATE session_entries SET data = ? WHERE pull_id = ? AND seq = ? AND author_id IS NULL',
    data,
    pull_id,
    seq,
  )

/** Sets the first answer of a question. Entries of other kinds stay as they are. */
export const setAnsweredBy = (tx: Tx, pull_id: string, seq: number, answered_by: number): void =>
  void tx.db.run(
    `UPDATE session_entries SET data = json_set(coalesce(data, '{}'), '$.answered_by', ?)
     WHERE pull_id = ? AND seq = ? AND seq < ? AND kind = 'question'
       AND json_extract(data, '$.answered_by') IS NULL`,
    answered_by,
    pull_id,
    seq,
    answered_by,
  )

/** Updates the counts stored with the pull request. */
export function setSession(
  tx: Tx,
  pull_id: string,
  session: { last_seq: number; cost: number | null },
): void {
  tx.db.run(
    `UPDATE pulls
      SET session_entries = ?, session_last_at = ?, session_cost = ?, updated_at = ?
      WHERE id = ?`,
    session.last_seq,
    tx.now,
    session.cost,
    tx.now,
    pull_id,
  )
}

/** Records the last entry, and the time, of the last event about the session. */
export const setSessionReported = (tx: Tx, pull_id: string, seq: number): void =>
  void tx.db.run(
    'UPDATE pulls SET session_told_seq = ?, session_told_at = ? WHERE id = ?',
    seq,
    tx.now_ms,
    pull_id,
  )
