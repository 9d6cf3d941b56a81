/** Rows of the merge queue: its entries, and which queues are paused. */
import type { Db, SqlValue } from '#core/db.ts'
import { keepAll, kept } from '#core/look.ts'
import type { Tx } from '#core/write.ts'
import type { KeptPage } from '#features/repos/index.ts'
import type { MergeMethod, Oid } from '#git'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'
import type { QueueState } from './schema.ts'

export type Verdict = 'checks_failed' | 'timed_out' | 'conflicts' | 'internal'

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
  readonly verdict: Verdict | null
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
export type Place = { readonly repo_id: string; readonly base_ref: string }

export const findEntry = (db: Db, id: string): EntryRow | null =>
  db.one<EntryRow>('SELECT * FROM queue_entries WHERE id = ?', id)

/** The entry of a pull request that has neither landed nor left. */
export const findWaiting = (db: Db, repo_id: string, number: number): EntryRow | null =>
  kept(db, 'queue entry', `${repo_id} ${number}`, () =>
    db.one<EntryRow>(
      'SELECT * FROM queue_entries WHERE repo_id = ? AND number = ? AND place IS NOT NULL',
      repo_id,
      number,
    ),
  )

/**
 * Brings into the look that is under way what stands in the queues of a repository, with the
 * positions.
 */
export function keepWaiting(db: Db, repo_id: string, numbers: readonly number[]): void {
  const rows = listWaitingOfRepo(db, repo_id)
  keepAll(
    db,
    'queue entry',
    numbers.map((number) => `${repo_id} ${number}`),
    () => new Map(rows.map((row) => [`${repo_id} ${row.number}`, row])),
    () => null,
  )
  const positions = new Map<string, number>()
  for (const entries of Map.groupBy(rows, ({ base_ref }) => base_ref).values())
    entries.forEach(({ id }, at) => positions.set(id, at + 1))
  keepAll(
    db,
    'queue position',
    [...positions.keys()],
    () => positions,
    () => 0,
  )
}

export function requireWaiting(db: Db, repo_id: string, number: number): EntryRow {
  const entry = findWaiting(db, repo_id, number)
  if (!entry) throw notFound(`an entry of the merge queue for #${number}`)
  return entry
}

export const findByRun = (db: Db, run_id: string): EntryRow | null =>
  db.one<EntryRow>('SELECT * FROM queue_entries WHERE run_id = ? AND place IS NOT NULL', run_id)

/** In landing order. */
export const listWaiting = (db: Db, { repo_id, base_ref }: Place): EntryRow[] =>
  db.all<EntryRow>(
    'SELECT * FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL ORDER BY place, id',
    repo_id,
    base_ref,
  )

/** All of a repository, whatever they wait for. */
export const listWaitingOfRepo = (db: Db, repo_id: string): EntryRow[] =>
  db.all<EntryRow>(
    'SELECT * FROM queue_entries WHERE repo_id = ? AND place IS NOT NULL ORDER BY base_ref, place, id',
    repo_id,
  )

/** Those that landed or left, newest first. */
export const listSettled = (db: Db, { repo_id, base_ref }: Place, limit: number): EntryRow[] =>
  db.all<EntryRow>(
    'SELECT * FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NULL ORDER BY settled_at DESC, id DESC LIMIT ?',
    repo_id,
    base_ref,
    limit,
  )

/** The branches of a repository that something waits for. */
export const listBases = (db: Db, repo_id: string): string[] =>
  db
    .all<{ base_ref: string }>(
      'SELECT DISTINCT base_ref FROM queue_entries WHERE repo_id = ? AND place IS NOT NULL ORDER BY base_ref',
      repo_id,
    )
    .map(({ base_ref }) => base_ref)

/** Every queue of the forge, or of one workspace, that something waits in. */
export const listPlaces = (db: Db, workspace_id: string | null): Place[] =>
  db.all<Place>(
    `SELECT DISTINCT q.repo_id, q.base_ref FROM queue_entries q JOIN repos r ON r.id = q.repo_id
     WHERE q.place IS NOT NULL AND (?1 IS NULL OR r.workspace_id = ?1) ORDER BY q.repo_id, q.base_ref`,
    workspace_id,
  )

export const hasWaiting = (db: Db, { repo_id, base_ref }: Place): boolean =>
  db.one(
    'SELECT 1 FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL LIMIT 1',
    repo_id,
    base_ref,
  ) !== null

/** From 1; null once it has landed or left. */
export function positionOf(db: Db, { repo_id, base_ref, place, id }: EntryRow): number | null {
  if (place === null) return null
  return kept(
    db,
    'queue position',
    id,
    () =>
      db.one<{ position: number }>(
        'SELECT COUNT(*) AS position FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL AND (place, id) <= (?, ?)',
        repo_id,
        base_ref,
        place,
        id,
      )?.position ?? 0,
  )
}

/** How long tests of entries that landed lately took, in milliseconds. */
export const listDurations = (db: Db, { repo_id, base_ref }: Place, limit: number): number[] =>
  db
    .all<{ started_at: string; passed_at: string }>(
      `SELECT started_at, passed_at FROM queue_entries WHERE repo_id = ? AND base_ref = ? AND place IS NULL AND state = 'landed'
         AND started_at IS NOT NULL AND passed_at IS NOT NULL ORDER BY settled_at DESC LIMIT ?`,
      repo_id,
      base_ref,
      limit,
    )
    .map(({ started_at, passed_at }) => Date.parse(passed_at) - Date.parse(started_at))

/** Candidates that may still land: no ref names them until then. */
export const keptCandidates = (db: Db, repo_id: string): KeptPage => ({
  oids: db
    .all<{ oid: Oid }>(
      'SELECT DISTINCT candidate_sha AS oid FROM queue_entries WHERE repo_id = ? AND place IS NOT NULL AND candidate_sha IS NOT NULL',
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

/** Adds one behind all others. */
export function insertEntry(tx: Tx, entry: NewEntry): void {
  const last =
    tx.db.one<{ place: number | null }>(
      'SELECT max(place) AS place FROM queue_entries WHERE repo_id = ? AND base_ref = ?',
      entry.repo_id,
      entry.base_ref,
    )?.place ?? 0
  tx.db.run(
    `INSERT INTO queue_entries (id, repo_id, pull_id, number, base_ref, place, state, method, message, keep_issue_open, commands, head_sha, queued_by, token_id, queued_at)
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

/** Changes fields of one row; the names come from this program, never from a client. */
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

/** Has all entries of a queue looked at again before anything else happens there. */
export const setLookAll = (tx: Tx, { repo_id, base_ref }: Place): void =>
  void tx.db.run(
    'UPDATE queue_entries SET look = 1 WHERE repo_id = ? AND base_ref = ? AND place IS NOT NULL',
    repo_id,
    base_ref,
  )

/** The queue of a branch that has another name now. */
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

/** Takes away entries of a purged repository, some at a time, and gives how many. */
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

export const findPause = (db: Db, { repo_id, base_ref }: Place): PauseRow | null =>
  db.one<PauseRow>(
    'SELECT paused_by, paused_at, reason FROM queue_pauses WHERE repo_id = ? AND base_ref = ?',
    repo_id,
    base_ref,
  )

export const setPause = (
  tx: Tx,
  { repo_id, base_ref }: Place,
  paused_by: string,
  reason: string,
): void =>
  void tx.db.run(
    'INSERT OR REPLACE INTO queue_pauses (repo_id, base_ref, paused_by, paused_at, reason) VALUES (?, ?, ?, ?, ?)',
    repo_id,
    base_ref,
    paused_by,
    tx.now,
    reason,
  )

export const removePause = (tx: Tx, { repo_id, base_ref }: Place): void =>
  void tx.db.run('DELETE FROM queue_pauses WHERE repo_id = ? AND base_ref = ?', repo_id, base_ref)
