/** SQL for the table `imports`. */
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { MINUTE, SECOND, type Timestamp } from '#lib/time.ts'
import { PHASES, type ImportState, type Phase, type Source } from './schema.ts'

export type ImportRow = {
  readonly id: string
  readonly repo_id: string
  readonly source: Source
  readonly url: string
  readonly secret: string | null
  readonly state: ImportState
  readonly phase: Phase
  /** Starts that ended in an error, and the present one. */
  readonly attempts: number
  /** Starts since the last progress that have not ended, or ended with the process. */
  readonly lost_starts: number
  /** How far it ever came. */
  readonly furthest: Phase
  readonly objects_done: number
  readonly objects_total: number
  readonly bytes: number
  readonly refs_done: number
  readonly refs_total: number
  /** A JSON array of messages. */
  readonly errors: string
  readonly resume_at: Timestamp | null
  readonly created_by: string
  readonly created_at: Timestamp
  readonly started_at: Timestamp | null
  readonly finished_at: Timestamp | null
  /** JSON of what the other forge said about the repository; null before that, and for git. */
  readonly facts: string | null
  readonly code_complete: 0 | 1
  /** Why the last attempt failed; null after one that did not. */
  readonly problem: string | null
}

export const errorsOf = ({ errors }: Pick<ImportRow, 'errors'>): string[] =>
  JSON.parse(errors) as string[]

export const findImport = (db: Db, id: string): ImportRow | null =>
  db.one<ImportRow>('SELECT * FROM imports WHERE id = ?', id)

export function requireImport(db: Db, id: string): ImportRow {
  const row = findImport(db, id)
  if (!row) throw notFound('the import')
  return row
}

/** Returns the running import into a repository. */
export const findRunningImport = (db: Db, repo_id: string): ImportRow | null =>
  db.one<ImportRow>('SELECT * FROM imports WHERE repo_id = ? AND finished_at IS NULL', repo_id)

export const findLatestImport = (db: Db, repo_id: string): ImportRow | null =>
  memo(db, 'latest import', repo_id, () =>
    db.one<ImportRow>('SELECT * FROM imports WHERE repo_id = ? ORDER BY id DESC LIMIT 1', repo_id),
  )

/** Preloads the latest imports of these repositories. */
export const preloadLatestImports = (db: Db, repo_ids: readonly string[]): void =>
  preload(
    db,
    'latest import',
    repo_ids,
    () => {
      const rows = db.all<ImportRow>(
        'SELECT m.* FROM json_each(?) i JOIN imports m ON m.id = (SELECT max(id) FROM imports WHERE repo_id = i.value)',
        JSON.stringify(repo_ids),
      )
      return new Map(rows.map((row) => [row.repo_id, row]))
    },
    () => null,
  )

/**
 * Lists the imports that somebody started, newest first; in a workspace that they own, those of
 * everybody. Imports of workspaces that they left are not theirs to see.
 */
export const listImportRows = (
  db: Db,
  { user_id, workspace_id }: { user_id: string; workspace_id: string | null },
  before: string | null,
  limit: number,
): ImportRow[] =>
  workspace_id === null
    ? db.all<ImportRow>(
        `SELECT i.* FROM imports i JOIN repos r ON r.id = i.repo_id
         WHERE i.created_by = ?1 AND (?2 IS NULL OR i.id < ?2)
           AND EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = r.workspace_id AND m.user_id = ?1)
         ORDER BY i.id DESC LIMIT ?3`,
        user_id,
        before,
        limit,
      )
    : db.all<ImportRow>(
        `SELECT i.* FROM repos r JOIN imports i ON i.repo_id = r.id
         WHERE r.workspace_id = ?1 AND (?3 IS NULL OR i.id < ?3)
           AND EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = ?1 AND m.user_id = ?2
             AND (m.role = 'owner' OR i.created_by = ?2))
         ORDER BY i.id DESC LIMIT ?4`,
        workspace_id,
        user_id,
        before,
        limit,
      )

export function insertImport(
  tx: Tx,
  row: Pick<ImportRow, 'id' | 'repo_id' | 'source' | 'url' | 'secret' | 'created_by'>,
): void {
  tx.db.run(
    `INSERT INTO imports (id, repo_id, source, url, secret, state, phase, created_by, created_at) VALUES (?, ?, ?, ?, ?, 'queued', 'waiting', ?, ?)`,
    row.id,
    row.repo_id,
    row.source,
    row.url,
    row.secret,
    row.created_by,
    tx.now,
  )
}

/** Marks the start of an attempt, or that one goes on after the process ended. */
export const setStarted = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE imports SET state = 'running', phase = 'connecting', attempts = max(1, attempts + (state <> 'running')), lost_starts = lost_starts + 1, started_at = coalesce(started_at, ?), resume_at = NULL WHERE id = ?`,
    tx.now,
    id,
  )

/** Marks that the process was told to stop during an attempt, which goes on in the next one. */
export const setInterrupted = (tx: Tx, id: string): void =>
  void tx.db.run(
    `UPDATE imports SET lost_starts = max(0, lost_starts - 1) WHERE id = ? AND state = 'running'`,
    id,
  )

/** Marks that an attempt ended and the process did not. */
export const setSurvived = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE imports SET lost_starts = 0 WHERE id = ?', id)

export type ImportProgress = Partial<
  Pick<ImportRow, 'phase' | 'objects_done' | 'objects_total' | 'bytes' | 'refs_done' | 'refs_total'>
>

/** Updates the progress of a running import. Late updates are ignored. */
export function setProgress(tx: Tx, id: string, change: ImportProgress): void {
  tx.db.run(
    `UPDATE imports SET phase = coalesce(?, phase), objects_done = coalesce(?, objects_done),
       objects_total = coalesce(?, objects_total), bytes = coalesce(?, bytes),
       refs_done = coalesce(?, refs_done), refs_total = coalesce(?, refs_total)
     WHERE id = ? AND state = 'running'`,
    change.phase ?? null,
    change.objects_done ?? null,
    change.objects_total ?? null,
    change.bytes ?? null,
    change.refs_done ?? null,
    change.refs_total ?? null,
    id,
  )
  const row = findImport(tx.db, id)
  if (row?.state !== 'running' || !isFurther(row.phase, row.furthest)) return
  tx.db.run('UPDATE imports SET furthest = phase WHERE id = ?', id)
  noteProgress(tx, id)
}

const isFurther = (phase: Phase, than: Phase): boolean =>
  PHASES.indexOf(phase) > PHASES.indexOf(than)

/** Delays after temporary errors. After the last one the import, or its step, fails. */
export const RETRY_DELAYS_MS = [10 * SECOND, MINUTE, 5 * MINUTE]

/** Whether the attempt that runs has no further one after it. */
export const isLastAttempt = (db: Db, id: string): boolean =>
  (findImport(db, id)?.attempts ?? 0) > RETRY_DELAYS_MS.length

/**
 * Forgets the starts and attempts before the one that runs. What it created stays when it is cut
 * off, so giving up after some of them would leave a part of the repository.
 */
export const noteProgress = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE imports SET attempts = 1, lost_starts = 0 WHERE id = ?', id)

export const setFacts = (tx: Tx, id: string, facts: string): void =>
  void tx.db.run('UPDATE imports SET facts = ? WHERE id = ?', facts, id)

export const setCodeComplete = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE imports SET code_complete = 1 WHERE id = ?', id)

/** Beyond it, what was left out is no longer listed. */
const MAX_ERRORS = 100
const MORE_ERRORS = 'and more was left out'

/** Adds what was left out to the errors of a running import. */
export function addErrors(tx: Tx, id: string, added: readonly string[]): void {
  if (added.length === 0) return
  const row = findImport(tx.db, id)
  const errors = row === null ? [] : errorsOf(row)
  if (errors.length >= MAX_ERRORS) return
  const all = [...errors, ...added.map((error) => error.slice(0, 1000))]
  tx.db.run(
    'UPDATE imports SET errors = ? WHERE id = ?',
    JSON.stringify(all.length < MAX_ERRORS ? all : [...all.slice(0, MAX_ERRORS - 1), MORE_ERRORS]),
    id,
  )
}

/** Marks that the import continues at `resume_at`. */
export const setWaiting = (
  tx: Tx,
  id: string,
  change: {
    state: 'queued' | 'waiting_for_limit'
    attempts: number
    resume_at: Timestamp
    problem: string
  },
): void =>
  void tx.db.run(
    `UPDATE imports SET state = ?, phase = 'waiting', attempts = ?, resume_at = ?, problem = ? WHERE id = ?`,
    change.state,
    change.attempts,
    change.resume_at,
    change.problem,
    id,
  )

export const setEnded = (
  tx: Tx,
  id: string,
  state: 'done' | 'done_with_errors' | 'failed' | 'cancelled',
  errors: readonly string[],
): void =>
  void tx.db.run(
    `UPDATE imports SET state = ?, phase = 'over', errors = ?, problem = NULL, resume_at = NULL, secret = NULL, finished_at = ? WHERE id = ?`,
    state,
    JSON.stringify(errors),
    tx.now,
    id,
  )
