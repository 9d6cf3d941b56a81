/** Rows of the merge queue: its entries, and which queues are paused. */
import type { Db, SqlValue } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { QueuePosition } from '#features/pulls/index.ts'
import type { RetainedPage } from '#features/repos/index.ts'
import type { MergeMethod, Oid } from '#git'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import type { QueueState } from './schema.ts'

export type CandidateVerdict = 'checks_failed' | 'timed_out' | 'conflicts' | 'internal'

export type EntryRow = {
  readonly id: string
  readonly repo_id: string
  readonly pull_id: string
  readonly number: number
  readonly base_ref: string
  readonly place: number | null
  readonly state: QueueState
  readonly attempt: number
  readonly method: MergeMethod
  readonly message: string | null
  readonly keep_issue_open: 0 | 1
  readonly commands: string
  readonly head_sha: Oid
  readonly base_sha: Oid | null
  readonly rests_on: string | null
  readonly candidate_sha: Oid | null
  readonly candidate_tree: Oid | null
  readonly run_id: string | null
  readonly verdict: CandidateVerdict | null
  readonly look: 0 | 1
  readonly reason: string | null
  readonly note: string | null
  readonly queued_by: string
  readonly token_id: string | null
  readonly queued_at: Timestamp
  readonly started_at: Timestamp | null
  readonly passed_at: Timestamp | null
  readonly settled_at: Timestamp | null
}

/** One queue: a repository and the branch that it lands on. */
export type QueueKey = { readonly repo_id: string; readonly base_ref: string }

export const findEntry = (db: Db, id: string): EntryRow | null =>
  db.one<EntryRow>('SELECT * FROM queue_entries WHERE id = ?', id)

/** The queued entry of a pull request. */
export const findWaiting = (db: Db, repo_id: string, number: number): EntryRow | null =>
  db.one<EntryRow>(
    'SELECT * FROM queue_entries WHERE repo_id = ? AND number = ? AND place IS NOT NULL',
    repo_id,
    number,
  )

export function requireWaiting(db: Db, repo_id: string, number: number): EntryRow {
  const entry = findWaiting(db, repo_id, number)
  if (!entry) throw notFound(`an entry of the merge queue for #${number}`)
  return entry
}

export const findByRun = (db: Db, run_id: string): EntryRow | null =>
  db.one<EntryRow>('SELECT * FROM queue_entries WHERE run_id = ? AND place IS NOT NULL', run_id)

/** Queued entries in landing order. */
export const listWaiting = (db: Db, { repo_id, base_ref }: QueueKey): EntryRow[] =>
  db.all<EntryRow>(
    'SELECT * FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL ORDER BY place, id',
    repo_id,
    base_ref,
  )

/** All queued entries of a repository. */
export const listWaitingOfRepo = (db: Db, repo_id: string): EntryRow[] =>
  db.all<EntryRow>(
    'SELECT * FROM queue_entries WHERE repo_id = ? AND place IS NOT NULL ORDER BY base_ref, place, id',
    repo_id,
  )

/** Entries that landed or left, newest first. */
export const listSettled = (db: Db, { repo_id, base_ref }: QueueKey, limit: number): EntryRow[] =>
  db.all<EntryRow>(
    `SELECT * FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NULL
      ORDER BY settled_at DESC, id DESC LIMIT ?`,
    repo_id,
    base_ref,
    limit,
  )

/** The branches of a repository with queued entries. */
export const listBases = (db: Db, repo_id: string): string[] =>
  db
    .all<{ base_ref: string }>(
      'SELECT DISTINCT base_ref FROM queue_entries WHERE repo_id = ? AND place IS NOT NULL ORDER BY base_ref',
      repo_id,
    )
    .map(({ base_ref }) => base_ref)

/** All queues of the forge, or of one workspace, with queued entries. */
export const listQueues = (db: Db, workspace_id: string | null): QueueKey[] =>
  db.all<QueueKey>(
    `SELECT DISTINCT q.repo_id, q.base_ref FROM queue_entries q JOIN repos r ON r.id = q.repo_id
     WHERE q.place IS NOT NULL AND (?1 IS NULL OR r.workspace_id = ?1) ORDER BY q.repo_id, q.base_ref`,
    workspace_id,
  )

export const hasWaiting = (db: Db, { repo_id, base_ref }: QueueKey): boolean =>
  db.one(
    'SELECT 1 FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL LIMIT 1',
    repo_id,
    base_ref,
  ) !== null

/** The position of an entry, from 1; null once it has landed or left. */
export const positionOf = (db: Db, { repo_id, number, place }: EntryRow): number | null =>
  place === null ? null : (positionsOf(db, repo_id, [number]).get(number)?.position ?? null)

/** Where several pull requests of a repository stand in their queues, by number. */
export const positionsOf = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): Map<number, QueuePosition> =>
  new Map(
    db
      .all<QueuePosition & { number: number }>(
        `SELECT q.number, q.id AS entry, q.state,
           (SELECT COUNT(*) FROM queue_entries b
            WHERE b.repo_id = q.repo_id AND b.base_ref = q.base_ref AND b.place IS NOT NULL
              AND (b.place, b.id) <= (q.place, q.id)) AS position
         FROM queue_entries q
         WHERE q.repo_id = ? AND q.place IS NOT NULL
           AND q.number IN (SELECT value FROM json_each(?))`,
        repo_id,
        JSON.stringify(numbers),
      )
      .map(({ number, position, state, entry }) => [number, { position, state, entry }]),
  )

/** Test durations of entries that landed lately, in milliseconds. */
export const listDurations = (db: Db, { repo_id, base_ref }: QueueKey, limit: number): number[] =>
  db
    .all<{ started_at: string; passed_at: string }>(
      `SELECT started_at, passed_at FROM queue_entries WHERE repo_id = ? AND base_ref = ?
         AND place IS NULL AND state = 'landed'
         AND started_at IS NOT NULL AND passed_at IS NOT NULL ORDER BY settled_at DESC LIMIT ?`,
      repo_id,
      base_ref,
      limit,
    )
    .map(({ started_at, passed_at }) => Date.parse(passed_at) - Date.parse(started_at))

/** Commits that garbage collection must retain: candidates that no ref names until they land. */
export const retainedCandidates = (db: Db, repo_id: string): RetainedPage => ({
  oids: db
    .all<{ oid: Oid }>(
      `SELECT DISTINCT candidate_sha AS oid FROM queue_entries WHERE repo_id = ?
        AND place IS NOT NULL AND candidate_sha IS NOT NULL`,
      repo_id,
    )
    .map(({ oid }) => oid),
  next: null,
})

export type NewEntry = Pick<
  EntryRow,
  | 'id'
  | 'repo_id'
  | 'pull_id'
  | 'number'
  | 'base_ref'
  | 'method'
  | 'message'
  | 'keep_issue_open'
  | 'commands'
  | 'head_sha'
  | 'queued_by'
  | 'token_id'
>

/** Inserts an entry at the end. */
export function insertEntry(tx: Tx, entry: NewEntry): void {
  const last =
    tx.db.one<{ place: number | null }>(
      'SELECT max(place) AS place FROM queue_entries WHERE repo_id = ? AND base_ref = ?',
      entry.repo_id,
      entry.base_ref,
    )?.place ?? 0
  tx.db.run(
    `INSERT INTO queue_entries (id, repo_id, pull_id, number, base_ref, place, state, method,
       message, keep_issue_open, commands, head_sha, queued_by, token_id, queued_at)
     VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)`,
    entry.id,
    entry.repo_id,
    entry.pull_id,
    entry.number,
    entry.base_ref,
    last + 1,
    entry.method,
    entry.message,
    entry.keep_issue_open,
    entry.commands,
    entry.head_sha,
    entry.queued_by,
    entry.token_id,
    tx.now,
  )
}

/** Updates fields of one row. Column names come from this program only. */
export function setEntry(
  tx: Tx,
  id: string,
  fields: Partial<Record<keyof EntryRow, SqlValue>>,
): void {
  const names = Object.keys(fields)
  tx.db.run(
    `UPDATE queue_entries SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
    ...Object.values(fields),
    id,
  )
}

/** Marks all entries of a queue for a check before anything else happens there. */
export const markAllForCheck = (tx: Tx, { repo_id, base_ref }: QueueKey): void =>
  void tx.db.run(
    'UPDATE queue_entries SET look = 1 WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL',
    repo_id,
    base_ref,
  )

/** Moves the queue of a renamed branch. */
export function renameQueue(tx: Tx, repo_id: string, from: string, to: string): void {
  tx.db.run(
    'UPDATE queue_entries SET base_ref = ? WHERE repo_id = ? AND base_ref = ?',
    to,
    repo_id,
    from,
  )
  tx.db.run(
    'UPDATE OR REPLACE queue_pauses SET base_ref = ? WHERE repo_id = ? AND base_ref = ?',
    to,
    repo_id,
    from,
  )
}

/** Removes one batch of entries of a purged repository and returns their number. */
export const removeEntries = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    'DELETE FROM queue_entries WHERE id IN (SELECT id FROM queue_entries WHERE repo_id = ? LIMIT ?)',
    repo_id,
    limit,
  )

export type PauseRow = {
  readonly paused_by: string
  readonly paused_at: Timestamp
  readonly reason: string
}

export const findPause = (db: Db, { repo_id, base_ref }: QueueKey): PauseRow | null =>
  db.one<PauseRow>(
    'SELECT paused_by, paused_at, reason FROM queue_pauses WHERE repo_id = ? AND base_ref = ?',
    repo_id,
    base_ref,
  )

export const setPause = (
  tx: Tx,
  { repo_id, base_ref }: QueueKey,
  paused_by: string,
  reason: string,
): void =>
  void tx.db.run(
    `INSERT OR REPLACE INTO queue_pauses (repo_id, base_ref, paused_by, paused_at, reason)
      VALUES (?, ?, ?, ?, ?)`,
    repo_id,
    base_ref,
    paused_by,
    tx.now,
    reason,
  )

export const removePause = (tx: Tx, { repo_id, base_ref }: QueueKey): void =>
  void tx.db.run('DELETE FROM queue_pauses WHERE repo_id = ? AND base_ref = ?', repo_id, base_ref)
