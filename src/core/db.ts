/**
 * SQLite, the one home of `bun:sqlite`. One connection on the main thread does all writing and the
 * point reads, so there is one writer and no lock to wait for. WAL keeps readers in other threads
 * going.
 *
 * A write that was answered survives a power cut. Its price, a sync for every commit, is shared by
 * all writes that arrive together, and is paid beside the event loop (`Writer`, `wal.ts`). What
 * does not go through the writer has `synchronous=FULL`.
 */
import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { forgetLook } from './look.ts'
import { Checkpoints, WalFile } from './wal.ts'

export type SqlValue = string | number | bigint | boolean | null | Uint8Array

/** Asks questions. Every SQL text is prepared once and kept. */
export interface Db {
  /** The first row, or null. */
  one<T>(sql: string, ...params: SqlValue[]): T | null
  all<T>(sql: string, ...params: SqlValue[]): T[]
}

/** Asks and changes; handed out only inside a transaction. */
export interface WritableDb extends Db {
  /** Runs one statement and gives the number of rows it changed. */
  run(sql: string, ...params: SqlValue[]): number
}

/**
 * The open database with what the floor needs to run transactions; features see it as `Db` only.
 */
export type DatabaseHandle = WritableDb & {
  readonly raw: Database
  /** Where the file is; null in memory and for reading. */
  readonly path: string | null
  exec(sql: string): void
  close(): void
  /** Told of every question and its time in milliseconds, while it is set. */
  watch: ((sql: string, ms: number) => void) | null
}

export type DatabaseOptions = {
  /** A file, or `:memory:`. */
  path: string
  /** Opens for reading only, for workers. */
  readonly?: boolean
}

/**
 * Texts that are kept prepared: all of the program's own, and those with lists of changing length
 * until others come.
 */
const MOST_STATEMENTS = 1000

export function openDatabase(options: DatabaseOptions): DatabaseHandle {
  const raw = new Database(
    options.path,
    options.readonly
      ? { readonly: true, strict: true }
      : { create: true, readwrite: true, strict: true },
  )
  // The page size must come before the first table, the journal mode before anything is read
  // through it.
  raw.run('PRAGMA page_size = 8192')
  if (!options.readonly) {
    raw.run('PRAGMA journal_mode = WAL')
    raw.run('PRAGMA synchronous = FULL')
  } else raw.run('PRAGMA query_only = ON')
  raw.run('PRAGMA foreign_keys = ON')
  raw.run('PRAGMA busy_timeout = 10000')
  raw.run('PRAGMA temp_store = MEMORY')
  raw.run('PRAGMA cache_size = -16384')
  raw.run('PRAGMA trusted_schema = OFF')
  const timed = <T>(sql: string, ask: () => T): T => {
    const { watch } = handle
    if (watch === null) return ask()
    const started = performance.now()
    try {
      return ask()
    } finally {
      watch(sql, performance.now() - started)
    }
  }
  // `Database.query` keeps the first 20 texts alone and prepares every other one each time it is
  // asked.
  const statements = new Map<string, Statement>()
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= MOST_STATEMENTS) {
      for (const [oldest, statement] of statements) {
        statements.delete(oldest)
        statement.finalize()
        break
      }
    }
    const made = raw.prepare(sql)
    statements.set(sql, made)
    return made
  }
  // Whoever closes it: a file stays open for as long as one statement is.
  const close = raw.close.bind(raw)
  raw.close = (...how) => {
    for (const statement of statements.values()) statement.finalize()
    statements.clear()
    close(...how)
  }
  const handle: DatabaseHandle = {
    raw,
    path: options.readonly || options.path === ':memory:' ? null : options.path,
    watch: null,
    one: <T>(sql: string, ...params: SqlValue[]) =>
      timed(sql, () => prepared(sql).get(...(params as SQLQueryBindings[])) as T | null),
    all: <T>(sql: string, ...params: SqlValue[]) =>
      timed(sql, () => prepared(sql).all(...(params as SQLQueryBindings[])) as T[]),
    run: (sql: string, ...params: SqlValue[]) => {
      forgetLook(handle)
      return timed(sql, () => prepared(sql).run(...(params as SQLQueryBindings[])).changes)
    },
    exec: (sql: string) => {
      forgetLook(handle)
      timed(sql, () => void raw.run(sql))
    },
    close: () => {
      if (!options.readonly) raw.run('PRAGMA wal_checkpoint(TRUNCATE)')
      raw.close()
    },
  }
  return handle
}

/** Marks the file as one of ours (https://www.sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x48727468

/**
 * Writes what is there already: a real write, with its fsync, that changes nothing. To be run by
 * the `Writer`.
 */
export const probeWrite = (db: DatabaseHandle): void =>
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)

/**
 * Writes what a database holds at one moment into a new file, which is on disk when this returns;
 * others go on reading and writing. It takes as long as reading all of it, so a running forge
 * leaves it to a thread (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
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
 * Takes the write-ahead log over into the file, as far as that goes without waiting for anybody.
 * For threads: it takes as long as the disk does.
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
 * What is wrong with the file, one line each: damaged pages, and rows that point at nothing. Empty
 * when it is sound.
 */
export function faultsOf(db: Db): string[] {
  const damage = db
    .all<{ integrity_check: string }>('PRAGMA integrity_check')
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok')
  const lost = db.all<{ table: string; rowid: number | null; parent: string }>(
    'PRAGMA foreign_key_check',
  )
  return [
    ...damage,
    ...lost.map(({ table, parent }) => `a row of ${table} points at nothing in ${parent}`),
  ]
}

/**
 * Runs a function in one transaction and gives its result; any error undoes everything. For
 * start-up, commands and files of their own. An `IMMEDIATE` one locks every attached database for
 * writing (https://www.sqlite.org/lang_transaction.html): where the forge's is attached, to be
 * read, it must be `DEFERRED`, or the forge waits for it.
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

type Waiting = {
  run: () => unknown
  done: (result: unknown) => void
  failed: (error: unknown) => void
}

/**
 * Pages of the log from which on it is taken over into the file: 8 MiB, as SQLite does by itself.
 */
const PAGES_PER_CHECKPOINT = 1000

/**
 * The log is begun anew only by a write that finds all of it taken over
 * (https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files), which never happens while
 * each take-over ends behind writes that came meanwhile. From so many pages on the next writes wait
 * for one, a few milliseconds as a rule; the event loop does not.
 */
const PAGES_TO_WAIT = 4 * PAGES_PER_CHECKPOINT

/** What its file may keep on the disk once it was begun anew, in bytes. */
const KEPT_LOG_BYTES = 32 * 1024 ** 2

/** How long another process's lock is waited for: so many times so long. */
const MOST_LOCKED = 200
const LOCKED_MS = 50

/** One commit that is not on disk yet, with those who wait for that. */
type Unsynced = { readonly done: () => void; readonly failed: (error: unknown) => void }

/**
 * Group commit: all writes that wait when the event loop comes round run in one transaction, each
 * in a savepoint of its own, so one that fails takes nothing with it; one sync makes all of them
 * durable, and only then are they answered. Meanwhile the event loop goes on; writes that come then
 * wait, and are the next group.
 */
export class Writer {
  #waiting: Waiting[] = []
  #scheduled = false
  #closed = false
  #flushes = 0
  #others: number | null = null
  #unsynced: Unsynced[] = []
  /** How often in a row somebody else was just writing. */
  #locked = 0
  /** The bringing to disk that is under way. */
  #syncing: Promise<void> | null = null
  #checkpoints: Checkpoints | null = null
  /** Whether writes wait until all of the log is taken over. */
  #held = false
  /**
   * The length of the log from which on they do so next: where somebody has read for long it cannot
   * begin anew, however often they wait.
   */
  #waitFrom = PAGES_TO_WAIT

  constructor(
    private readonly db: DatabaseHandle,
    /** Null where nothing can be brought to disk. */
    private readonly wal: Pick<WalFile, 'sync' | 'close'> | null = db.path === null
      ? null
      : new WalFile(db.path),
  ) {
    if (db.path === null) return
    this.#checkpoints = new Checkpoints(db.path)
    db.exec('PRAGMA synchronous = NORMAL')
    db.exec('PRAGMA wal_autocheckpoint = 0')
    db.exec(`PRAGMA journal_size_limit = ${KEPT_LOG_BYTES}`)
  }

  /**
   * Resolves with the result once it is on disk; rejects with the error of `run`, or of the commit.
   */
  write<T>(run: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the database is closed'))
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, done: resolve as (result: unknown) => void, failed: reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    // While a group is on its way to the disk, the next one gathers.
    if (this.#scheduled || this.#held || this.#syncing !== null || this.#waiting.length === 0)
      return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  /**
   * A word for what the database holds: it changes with every commit of this process, and of any
   * other (https://www.sqlite.org/pragma.html#pragma_data_version). Others are asked for once a
   * turn of the event loop.
   */
  state(): string {
    if (this.#others === null) {
      this.#others = this.db.one<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
      setImmediate(() => (this.#others = null))
    }
    return `${this.#flushes}.${this.#others}`
  }

  /** Runs everything that waits now; it is answered when it is on disk. */
  flush(): void {
    this.#scheduled = false
    const batch = this.#waiting
    if (batch.length === 0) return
    this.#flushes++
    this.#waiting = []
    const finished: (() => void)[] = []
    const refused: (() => void)[] = []
    try {
      this.db.exec('BEGIN IMMEDIATE')
      this.#locked = 0
      for (const { run, done, failed } of batch) {
        this.db.exec('SAVEPOINT one')
        try {
          const result = run()
          if (result instanceof Promise) {
            // A promise would go on after the commit, outside of it.
            result.catch(() => {})
            throw new TypeError('a write must be synchronous')
          }
          this.db.exec('RELEASE one')
          finished.push(() => done(result))
        } catch (error) {
          // Some errors (a full disk) end the whole transaction; then there is nothing left to roll
          // back to.
          if (!this.db.raw.inTransaction) throw error
          this.db.exec('ROLLBACK TO one')
          this.db.exec('RELEASE one')
          refused.push(() => failed(error))
        }
      }
      this.db.exec('COMMIT')
    } catch (error) {
      const begun = this.db.raw.inTransaction
      if (begun) this.db.exec('ROLLBACK')
      // A command that writes beside the forge is soon done.
      if (
        !begun &&
        !this.#closed &&
        (error as { code?: unknown }).code === 'SQLITE_BUSY' &&
        this.#locked++ < MOST_LOCKED
      ) {
        this.#waiting = [...batch, ...this.#waiting]
        this.#scheduled = true
        setTimeout(() => this.flush(), LOCKED_MS)
        return
      }
      for (const { failed } of batch) failed(error)
      return
    }
    const answer = (): void => {
      for (const tell of finished) tell()
      for (const tell of refused) tell()
    }
    // Where all were refused, nothing has changed.
    if (this.wal === null || finished.length === 0) return answer()
    this.#unsynced.push({
      done: answer,
      failed: (error) => {
        for (const { failed } of batch) failed(error)
      },
    })
    this.#syncing ??= this.#sync(this.wal)
  }

  /** Brings to disk what is committed, as long as there is some, and answers. */
  async #sync(wal: Pick<WalFile, 'sync'>): Promise<void> {
    while (this.#unsynced.length > 0) {
      const groups = this.#unsynced
      this.#unsynced = []
      try {
        await wal.sync()
        for (const { done } of groups) done()
      } catch (error) {
        for (const { failed } of groups) failed(error)
      }
    }
    this.#syncing = null
    if (this.#closed) return
    this.#lookAtLog()
    this.#schedule()
  }

  /**
   * Has the log taken over once it is long; were the thread not to be had, SQLite does it itself
   * again.
   */
  #lookAtLog(): void {
    const checkpoints = this.#checkpoints
    if (checkpoints === null || checkpoints.running) return
    const state = this.db.one<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')
    if (state === null) return
    if (state.log < PAGES_TO_WAIT) this.#waitFrom = PAGES_TO_WAIT
    this.#held = state.log >= this.#waitFrom
    if (this.#held) this.#waitFrom = state.log * 2
    else if (state.log - state.checkpointed < PAGES_PER_CHECKPOINT) return
    void checkpoints.run().then((error) => {
      this.#held = false
      if (this.#closed) return
      this.#schedule()
      if (error === null) return
      this.#checkpoints = null
      this.db.exec(`PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`)
    })
  }

  /** Runs what waits, brings it to disk and answers. Nothing is written afterwards. */
  async close(): Promise<void> {
    this.#closed = true
    this.flush()
    await this.#syncing
    await this.#checkpoints?.close()
    this.wal?.close()
  }
}

/**
 * Takes a lock that ends with the process, however it ends, and gives the function that lets go of
 * it; null while another process holds it. SQLite's own file lock does it, so it is the same on
 * every system.
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
