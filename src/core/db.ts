/**
 * SQLite, the only importer of `bun:sqlite`. One connection on the main thread does all writes and
 * the point reads. So there is one writer, and no statement waits for a lock of this process. WAL
 * mode lets readers on other threads go on during a write.
 *
 * A write that was answered survives a power cut. That costs a sync of the log, about 2 ms. Writes
 * that arrive together share one sync, and the sync runs beside the event loop (`Writer`,
 * `wal.ts`). Statements outside of the `Writer` run with `synchronous=FULL`.
 */
import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { CommitObserver } from './replication.ts'
import { Checkpoints, WalFile } from './wal.ts'

export type SqlValue = string | number | bigint | boolean | null | Uint8Array

/** Reads. Every SQL text is prepared once. */
export interface Db {
  /** The first row, or null. */
  one<T>(sql: string, ...params: SqlValue[]): T | null
  all<T>(sql: string, ...params: SqlValue[]): T[]
  /** The memoised reads of the open read scope (`read-scope.ts`); null outside of one. */
  memos: Map<string, unknown> | null
  /** The memos of the last read scope while they are still true, else an empty map. */
  currentMemos(): Map<string, unknown>
  /** Ends the read transaction of the read scope, where it has one. */
  endReads(): void
}

/** Reads and writes; handed out only inside a transaction. */
export interface WritableDb extends Db {
  /** Runs one statement and returns the number of rows it changed. */
  run(sql: string, ...params: SqlValue[]): number
  /**
   * Inserts a row into a table that no memo is read from and that has no triggers, such as the
   * events. The memos stay. Returns the id of the row (its `rowid`).
   */
  append(sql: string, ...params: SqlValue[]): number
}

/** The open database with what transactions need; features see it as `Db`. */
export type DatabaseHandle = WritableDb & {
  readonly raw: Database
  /** The file; null for a database in memory or opened for reading. */
  readonly path: string | null
  exec(sql: string): void
  /**
   * Yields the rows of a statement as it finds them, so that no result has to fit into memory. Other
   * reads may run meanwhile; writes to the same tables may not.
   */
  each<T>(sql: string, ...params: SqlValue[]): Generator<T, void>
  /** False once it is closed. */
  readonly isOpen: boolean
  close(): void
  /** Receives the text and milliseconds of every statement while it is set. */
  watch: ((sql: string, ms: number) => void) | null
  /** The version of the data, which the `Writer` sets. Without it no memo outlives its read scope. */
  version: (() => string) | null
}

export type DatabaseOptions = {
  /** A file, or `:memory:`. */
  path: string
  /** Opens for reading only, for workers. */
  readonly?: boolean
  /** Whether another process may serve it. Then closing leaves the log, which a standby follows. */
  isShared?: boolean
}

/**
 * Prepared statements that are cached: all constant texts of the program (about 900), and the
 * latest of those whose text depends on its input.
 */
const MAX_CACHED_STATEMENTS = 1000

/** Memos that outlive their read scope end after this time, because some facts depend on the time. */
const MAX_MEMO_AGE_MS = 1000
/** A read scope begins with no more memos than this. */
const MAX_MEMOS = 2000

/** The memos of read scopes at one version of the data. */
type VersionMemos = {
  readonly version: string | null
  readonly openedAtMs: number
  readonly memos: Map<string, unknown>
}

const noMemos = (version: string | null): VersionMemos => ({
  version,
  openedAtMs: performance.now(),
  memos: new Map(),
})

export const openDatabase = (options: DatabaseOptions): DatabaseHandle =>
  new SqliteDatabase(options)

class SqliteDatabase implements DatabaseHandle {
  readonly raw: Database
  readonly path: string | null
  watch: ((sql: string, ms: number) => void) | null = null
  version: (() => string) | null = null
  memos: Map<string, unknown> | null = null
  #versionMemos = noMemos(null)
  /** Whether the open read scope has a read transaction. */
  #isReading = false
  #isOpen = true
  readonly #isReadonly: boolean
  readonly #isShared: boolean
  /** `Database.query` of Bun caches 20 texts only and prepares every other one on each use. */
  readonly #statements = new Map<string, Statement>()

  constructor({ path, readonly: isReadonly = false, isShared = false }: DatabaseOptions) {
    this.#isReadonly = isReadonly
    this.#isShared = isShared
    this.path = isReadonly || path === ':memory:' ? null : path
    this.raw = new Database(
      path,
      isReadonly
        ? { readonly: true, strict: true }
        : { create: true, readwrite: true, strict: true },
    )
    this.#configure()
    // A statement that is not finalized keeps the file open, also when `raw` is closed directly.
    const close = this.raw.close.bind(this.raw)
    this.raw.close = (...args) => {
      for (const statement of this.#statements.values()) statement.finalize()
      this.#statements.clear()
      close(...args)
    }
  }

  #configure(): void {
    // The page size must be set before the first table, the journal mode before the first read.
    this.raw.run('PRAGMA page_size = 8192')
    if (this.#isReadonly) this.raw.run('PRAGMA query_only = ON')
    else {
      this.raw.run('PRAGMA journal_mode = WAL')
      this.raw.run('PRAGMA synchronous = FULL')
    }
    this.raw.run('PRAGMA foreign_keys = ON')
    this.raw.run('PRAGMA busy_timeout = 10000')
    this.raw.run('PRAGMA temp_store = MEMORY')
    this.raw.run('PRAGMA cache_size = -16384')
    this.raw.run('PRAGMA trusted_schema = OFF')
  }

  one<T>(sql: string, ...params: SqlValue[]): T | null {
    const startedMs = this.watch === null ? 0 : performance.now()
    this.#beforeRead(sql)
    try {
      return this.#prepare(sql).get(...(params as SQLQueryBindings[])) as T | null
    } finally {
      this.#reportTime(sql, startedMs)
    }
  }

  all<T>(sql: string, ...params: SqlValue[]): T[] {
    const startedMs = this.watch === null ? 0 : performance.now()
    this.#beforeRead(sql)
    try {
      return this.#prepare(sql).all(...(params as SQLQueryBindings[])) as T[]
    } finally {
      this.#reportTime(sql, startedMs)
    }
  }

  *each<T>(sql: string, ...params: SqlValue[]): Generator<T, void> {
    const startedMs = this.watch === null ? 0 : performance.now()
    // Not a cached statement: a second run of the same text would restart this one.
    const statement = this.raw.prepare(sql)
    try {
      yield* statement.iterate(...(params as SQLQueryBindings[])) as Iterable<T>
    } finally {
      statement.finalize()
      this.#reportTime(sql, startedMs)
    }
  }

  currentMemos(): Map<string, unknown> {
    if (this.version === null) return new Map()
    const version = this.version()
    const { memos, openedAtMs, version: since } = this.#versionMemos
    const isCurrent =
      since === version &&
      memos.size <= MAX_MEMOS &&
      performance.now() - openedAtMs < MAX_MEMO_AGE_MS
    if (!isCurrent) this.#versionMemos = noMemos(version)
    return this.#versionMemos.memos
  }

  /** A statement with `RETURNING` gives rows like a read, and changes the data. */
  #beforeRead(sql: string): void {
    if (this.memos === null) return
    if (sql.includes('RETURNING')) this.#clearMemos()
    else this.#beginReads()
  }

  /**
   * A statement outside of a transaction locks the log by two system calls, which take twice as long
   * as a read by a key. The reads of a read scope share one lock, and one state of the data.
   */
  #beginReads(): void {
    if (this.#isReading || this.raw.inTransaction) return
    this.#prepare('BEGIN').run()
    this.#isReading = true
  }

  endReads(): void {
    if (!this.#isReading) return
    this.#isReading = false
    // Some errors have ended it already.
    if (this.raw.inTransaction) this.#prepare('COMMIT').run()
  }

  run(sql: string, ...params: SqlValue[]): number {
    this.endReads()
    this.#clearMemos()
    const startedMs = this.watch === null ? 0 : performance.now()
    try {
      return this.#prepare(sql).run(...(params as SQLQueryBindings[])).changes
    } finally {
      this.#reportTime(sql, startedMs)
    }
  }

  append(sql: string, ...params: SqlValue[]): number {
    this.endReads()
    const startedMs = this.watch === null ? 0 : performance.now()
    try {
      const { lastInsertRowid } = this.#prepare(sql).run(...(params as SQLQueryBindings[]))
      return Number(lastInsertRowid)
    } finally {
      this.#reportTime(sql, startedMs)
    }
  }

  exec(sql: string): void {
    this.endReads()
    this.#clearMemos()
    const startedMs = this.watch === null ? 0 : performance.now()
    try {
      this.raw.run(sql)
    } finally {
      this.#reportTime(sql, startedMs)
    }
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  close(): void {
    this.#isOpen = false
    if (!this.#isReadonly && !this.#isShared) this.raw.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.raw.close()
  }

  #clearMemos(): void {
    this.memos?.clear()
    this.#versionMemos.memos.clear()
  }

  #reportTime(sql: string, startedMs: number): void {
    if (this.watch !== null) this.watch(sql, performance.now() - startedMs)
  }

  #prepare(sql: string): Statement {
    const cached = this.#statements.get(sql)
    if (cached !== undefined) return cached
    if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#finalizeOldest()
    const statement = this.raw.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #finalizeOldest(): void {
    for (const [sql, statement] of this.#statements) {
      this.#statements.delete(sql)
      statement.finalize()
      return
    }
  }
}

/** Marks the file as a database of Hearth (https://www.sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x48727468

/**
 * Writes a value that is there already, with its fsync. The readiness check runs it in the
 * `Writer`.
 */
export const probeWrite = (db: DatabaseHandle): void =>
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)

/**
 * Copies a snapshot of a database into a new file, which is on disk when this returns. Reads and
 * writes of others go on (https://www.sqlite.org/lang_vacuum.html#vacuuminto). It reads the whole
 * database, so a running forge calls it on a thread.
 */
export function copyDatabase(from: string, to: string): void {
  const raw = new Database(from, { readonly: true })
  try {
    raw.run('PRAGMA busy_timeout = 10000')
    raw.run('PRAGMA temp_store = MEMORY')
    raw.run('VACUUM INTO ?', [to])
  } finally {
    raw.close()
  }
  const file = openSync(to, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Copies the write-ahead log into the database file as far as no reader blocks it. It waits for the
 * disk, so it runs on a thread.
 */
export function checkpoint(path: string): void {
  const raw = new Database(path, { create: false, readwrite: true })
  try {
    raw.run('PRAGMA busy_timeout = 10000')
    raw.run('PRAGMA wal_checkpoint(PASSIVE)')
  } finally {
    raw.close()
  }
}

/**
 * Copies the whole write-ahead log into the database file and empties it. Nobody else may have the
 * database open.
 */
export function emptyLog(path: string): void {
  const raw = new Database(path, { create: false, readwrite: true })
  try {
    raw.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    raw.close()
  }
}

/**
 * Holds a snapshot of a database until the returned function is called. Meanwhile no page that
 * changes after it reaches the database file, and the log is not restarted
 * (https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files).
 */
export function holdSnapshot(path: string): () => void {
  const raw = new Database(path, { readonly: true })
  raw.run('PRAGMA busy_timeout = 10000')
  raw.run('BEGIN')
  raw.query('SELECT count(*) FROM sqlite_schema').get()
  return () => raw.close()
}

/**
 * The faults of a database, one line each: damaged pages, and rows whose parent row is missing.
 */
export function listFaults(db: Db): string[] {
  const damagedPages = db
    .all<{ integrity_check: string }>('PRAGMA integrity_check')
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok')
  const orphanedRows = db.all<{ table: string; rowid: number | null; parent: string }>(
    'PRAGMA foreign_key_check',
  )
  return [
    ...damagedPages,
    ...orphanedRows.map(({ table, parent }) => `a row of ${table} points at nothing in ${parent}`),
  ]
}

/**
 * Runs a function in one transaction and returns its result. An error rolls everything back. For
 * start-up, commands and databases of their own. An `IMMEDIATE` transaction locks every attached
 * database for writing (https://www.sqlite.org/lang_transaction.html). When the forge's database is
 * attached for reading, the transaction must be `DEFERRED`, else the forge waits for its end.
 */
export function transaction<T>(
  db: DatabaseHandle,
  run: () => T,
  kind: 'IMMEDIATE' | 'DEFERRED' = 'IMMEDIATE',
): T {
  db.exec(`BEGIN ${kind}`)
  try {
    const result = run()
    db.exec('COMMIT')
    return result
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

/** A write that was not committed yet. */
type PendingWrite = {
  readonly run: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Pages of the log above which a checkpoint runs: 8 MiB, the threshold of SQLite's own checkpoints.
 */
const PAGES_PER_CHECKPOINT = 1000

/**
 * Pages of the log above which writes wait for a checkpoint, usually a few milliseconds. SQLite
 * restarts the log only when a write finds all of it checkpointed
 * (https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files). Under steady load writes
 * would overtake every checkpoint and the log would grow. The event loop does not wait.
 */
const PAGES_TO_BLOCK_WRITES = 4 * PAGES_PER_CHECKPOINT

/** Size that the file of the log is cut to when the log restarts. */
const MAX_IDLE_LOG_BYTES = 32 * 1024 ** 2

/**
 * A lock of another process is waited for 200 times 50 ms, which is 10 seconds. SQLite's own wait
 * stops the event loop, so it is short.
 */
const MAX_LOCKED_RETRIES = 200
const LOCKED_RETRY_MS = 50
const LOCK_WAIT_MS = 2

/** What ran in one transaction: so many writes, with the functions that settle their promises. */
type WriteGroup = {
  readonly size: number
  readonly finished: readonly (() => void)[]
  readonly failed: readonly (() => void)[]
}

/** A committed group of writes that is not on disk yet. */
type UnsyncedGroup = { readonly resolve: () => void; readonly reject: (error: unknown) => void }

/** Writes run for so long in one turn of the event loop. The others run in a later one. */
const MAX_GROUP_MS = 3

/** How long the version of the commits of other processes is trusted. */
const MAX_VERSION_AGE_MS = 1

/**
 * Group commit. The writes that are pending in one turn of the event loop run in one transaction.
 * Each has its own savepoint, so a write that fails does not undo the others. One sync of the log
 * makes the group durable; then its promises resolve. Writes that arrive during the sync form the
 * next group. The event loop does not wait for the sync.
 */
export class Writer {
  #pending: PendingWrite[] = []
  #isScheduled = false
  #isClosed = false
  #flushCount = 0
  /** `PRAGMA data_version`, and when it was read. */
  #dataVersion = 0
  #state = '0.0'
  #dataVersionAtMs = Number.NEGATIVE_INFINITY
  #unsynced: UnsyncedGroup[] = []
  /** How many flushes in a row found the database locked by another process. */
  #lockedCount = 0
  /** The running sync of the log. */
  #syncing: Promise<void> | null = null
  #checkpoints: Checkpoints | null = null
  /** Whether writes wait for a checkpoint of the whole log. */
  #isBlocked = false
  /** Whether the log became too long while a checkpoint ran, so that it needs another. */
  #isOverrun = false
  /**
   * Pages of the log above which writes wait next. It doubles after each wait, because a long
   * reader can keep the log from restarting however often writes wait.
   */
  #blockAbovePages = PAGES_TO_BLOCK_WRITES
  /** Sends the commits to a standby; null without one. */
  observer: CommitObserver | null = null

  constructor(
    private readonly db: DatabaseHandle,
    /** Null for a database that is not on disk. */
    private readonly wal: Pick<WalFile, 'sync' | 'close'> | null = db.path === null
      ? null
      : new WalFile(db.path),
    private readonly now: () => number = () => performance.now(),
  ) {
    db.version = () => this.state()
    if (db.path === null) return
    this.#checkpoints = new Checkpoints(db.path)
    db.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
    db.exec('PRAGMA synchronous = NORMAL')
    db.exec('PRAGMA wal_autocheckpoint = 0')
    db.exec(`PRAGMA journal_size_limit = ${MAX_IDLE_LOG_BYTES}`)
  }

  /** Resolves with the result of `run` once it is on disk. Rejects with its error or the commit's. */
  write<T>(run: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error('the database is closed'))
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ run, resolve: resolve as (result: unknown) => void, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    // During a sync the next group gathers.
    if (this.#syncing === null) this.#scheduleNow()
  }

  #scheduleNow(): void {
    if (this.#isScheduled || this.#isBlocked || this.#pending.length === 0) return
    this.#isScheduled = true
    setImmediate(() => this.flush())
  }

  /**
   * A version of the database: it changes with every commit of this process and of others
   * (https://www.sqlite.org/pragma.html#pragma_data_version). The commits of others are looked
   * for once a millisecond, because the query takes 20 µs, as much as half of a cached answer.
   */
  state(): string {
    const now = performance.now()
    if (now - this.#dataVersionAtMs >= MAX_VERSION_AGE_MS) {
      const row = this.db.one<{ data_version: number }>('PRAGMA data_version')
      this.#dataVersion = row?.data_version ?? 0
      this.#dataVersionAtMs = now
      this.#nameState()
    }
    return this.#state
  }

  #nameState(): void {
    this.#state = `${this.#flushCount}.${this.#dataVersion}`
  }

  /**
   * Runs pending writes now, as many as a turn of the event loop has time for. Their promises settle
   * when the group is on disk.
   */
  flush(): void {
    this.#isScheduled = false
    const batch = this.#pending
    if (batch.length === 0) return
    this.#flushCount++
    this.#nameState()
    this.#pending = []
    let group: WriteGroup
    try {
      group = this.#runInTransaction(batch)
    } catch (error) {
      const hadBegun = this.db.raw.inTransaction
      if (hadBegun) this.db.exec('ROLLBACK')
      if (!hadBegun && this.#retryLocked(batch, error)) return
      for (const { reject } of batch) reject(error)
      return
    }
    const { finished, failed, size } = group
    const ran = batch.slice(0, size)
    this.#pending = [...batch.slice(size), ...this.#pending]
    this.#scheduleNow()
    const settle = (): void => {
      for (const resolve of finished) resolve()
      for (const reject of failed) reject()
    }
    // When all writes failed, nothing has changed.
    if (this.wal === null || finished.length === 0) return settle()
    this.#unsynced.push({
      resolve: settle,
      reject: (error) => {
        for (const { reject } of ran) reject(error)
      },
    })
    this.#syncing ??= this.#sync(this.wal)
  }

  /** Commits a batch, or as much of it as there is time for. */
  #runInTransaction(batch: readonly PendingWrite[]): WriteGroup {
    const beganMs = this.now()
    let size = 0
    const finished: (() => void)[] = []
    const failed: (() => void)[] = []
    this.observer?.requireWritable()
    this.db.exec('BEGIN IMMEDIATE')
    this.#lockedCount = 0
    this.observer?.opened()
    for (const { run, resolve, reject } of batch) {
      if (size > 0 && this.now() - beganMs > MAX_GROUP_MS) break
      size++
      this.db.run('SAVEPOINT one')
      try {
        const result = run()
        if (result instanceof Promise) {
          // It would go on after the commit, outside of the transaction.
          result.catch(() => {})
          throw new TypeError('a write must be synchronous')
        }
        this.db.run('RELEASE one')
        finished.push(() => resolve(result))
      } catch (error) {
        // Some errors (a full disk) end the whole transaction; then there is no savepoint.
        if (!this.db.raw.inTransaction) throw error
        this.db.run('ROLLBACK TO one')
        this.db.run('RELEASE one')
        failed.push(() => reject(error))
      }
    }
    this.db.exec('COMMIT')
    this.observer?.committed()
    return { size, finished, failed }
  }

  /** Schedules a batch again when another process holds the lock. Its commands end soon. */
  #retryLocked(batch: PendingWrite[], error: unknown): boolean {
    const isLocked = (error as { code?: unknown }).code === 'SQLITE_BUSY'
    if (this.#isClosed || !isLocked || this.#lockedCount++ >= MAX_LOCKED_RETRIES) return false
    this.#pending = [...batch, ...this.#pending]
    this.#isScheduled = true
    setTimeout(() => this.flush(), LOCKED_RETRY_MS)
    return true
  }

  /** Syncs the log until every committed group is on disk, and settles their promises. */
  async #sync(wal: Pick<WalFile, 'sync'>): Promise<void> {
    while (this.#unsynced.length > 0) {
      const groups = this.#unsynced
      this.#unsynced = []
      try {
        await Promise.all([wal.sync(), this.observer?.acknowledged()])
        for (const { resolve } of groups) resolve()
      } catch (error) {
        for (const { reject } of groups) reject(error)
      }
    }
    this.#syncing = null
    if (this.#isClosed) return
    this.#checkpointIfLong()
    this.#schedule()
  }

  /**
   * Starts a checkpoint on its thread once the log is long. When the thread cannot start, SQLite's
   * own checkpoints are turned on again.
   */
  #checkpointIfLong(): void {
    const checkpoints = this.#checkpoints
    if (checkpoints === null) return
    const state = this.db.one<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')
    if (state === null) return
    if (state.log < PAGES_TO_BLOCK_WRITES) this.#blockAbovePages = PAGES_TO_BLOCK_WRITES
    const isTooLong = state.log >= this.#blockAbovePages
    if (checkpoints.isRunning) {
      // On a busy machine its thread may wait for a processor while commits go on.
      this.#isBlocked ||= isTooLong
      this.#isOverrun ||= isTooLong
      return
    }
    this.#isBlocked = isTooLong
    if (this.#isBlocked) this.#blockAbovePages = state.log * 2
    else if (state.log - state.checkpointed < PAGES_PER_CHECKPOINT) return
    void checkpoints.run().then((error) => {
      const isOverrun = this.#isOverrun
      this.#isBlocked = this.#isOverrun = false
      if (this.#isClosed) return
      if (error !== null) {
        this.#checkpoints = null
        this.db.exec(`PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`)
      } else if (isOverrun) this.#checkpointIfLong()
      this.#schedule()
    })
  }

  /** Runs the pending writes and syncs them. Later writes are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#pending.length > 0) this.flush()
    await this.#syncing
    await this.#checkpoints?.close()
    this.wal?.close()
  }
}

/**
 * Takes a lock that the system releases when the process ends. Returns the function that releases
 * it, or null while another process holds it. The lock is SQLite's file lock, which works the same
 * on every system.
 */
export function takeLock(path: string): (() => void) | null {
  const db = new Database(path, { create: true, readwrite: true })
  try {
    db.run('PRAGMA busy_timeout = 0')
    db.run('BEGIN EXCLUSIVE')
    return () => db.close()
  } catch {
    db.close()
    return null
  }
}
