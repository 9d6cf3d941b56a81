/**
 * A disk cache for results computed from history: the last commits of a folder, and the blame of a
 * file, each at a commit; counts of the whole history, and languages; the lock files of a commit and
 * what they hold. Entries never become wrong, because commits do not change, and all of them can be
 * recomputed. So the file is not in backups and not synced. It can be deleted while the
 * forge is stopped, and is recreated when it is damaged or has another format.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, transaction, type DatabaseHandle } from '#core/db.ts'
import { service } from '#core/service.ts'
import type { Oid } from '#git'

/** Incremented when the table or the stored values change. */
const FORMAT = 1

/** Beyond this size the oldest entries are deleted. */
const MAX_BYTES = 256 * 1024 * 1024
/** Only the latest results for a path are stored; new ones are computed from them. */
const MAX_ANSWERS_PER_PATH = 3

export const HISTORY_KINDS = {
  folder: 1,
  blame: 2,
  history: 3,
  history_state: 4,
  languages: 5,
  /** The paths and ids of the lock files of a commit. */
  lock_files: 6,
  /** The packages of a lock file. Its id stands in place of the commit. */
  locked_packages: 7,
} as const
export type HistoryKind = keyof typeof HISTORY_KINDS

export type CachedAnswer = { readonly commit: Oid; readonly value: unknown }

const TABLES = [
  `CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, store TEXT NOT NULL, kind INTEGER NOT NULL,
    path TEXT NOT NULL, commit_oid TEXT NOT NULL, size INTEGER NOT NULL, value BLOB NOT NULL,
    UNIQUE (store, kind, path, commit_oid))`,
  `PRAGMA user_version = ${FORMAT}`,
]

function openCacheDatabase(path: string): DatabaseHandle {
  const tuned = (db: DatabaseHandle): DatabaseHandle => {
    db.exec('PRAGMA synchronous = OFF')
    // A command may write at the same time; callers do not wait for it.
    db.exec('PRAGMA busy_timeout = 50')
    return db
  }
  let db: DatabaseHandle | null = null
  try {
    db = openDatabase({ path })
    if (db.one<{ user_version: number }>('PRAGMA user_version')?.user_version === FORMAT)
      return tuned(db)
  } catch {
    // Damaged or not a database. It is recreated.
  }
  db?.raw.close()
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  const fresh = tuned(openDatabase({ path }))
  transaction(fresh, () => {
    for (const sql of TABLES) fresh.exec(sql)
  })
  return fresh
}

const compress = (value: unknown): Uint8Array =>
  Bun.zstdCompressSync(Buffer.from(JSON.stringify(value)), { level: 3 })
const decompress = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(Bun.zstdDecompressSync(bytes)).toString('utf8'))

export class HistoryCache {
  #db: DatabaseHandle | null = null
  #bytes = 0
  #failed = false
  #closed = false

  constructor(
    private readonly path: string,
    private readonly onFault: (error: unknown) => void,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** Returns the result for exactly this commit, or null. */
  find(kind: HistoryKind, store: string, path: string, commit: Oid): unknown {
    return this.#try((db) => {
      const row = db.one<{ value: Uint8Array }>(
        'SELECT value FROM answers WHERE store = ? AND kind = ? AND path = ? AND commit_oid = ?',
        store,
        HISTORY_KINDS[kind],
        path,
        commit,
      )
      return row === null ? null : decompress(row.value)
    }, null)
  }

  /** Lists results for other commits of the same path, the latest first. */
  listOthers(kind: HistoryKind, store: string, path: string): CachedAnswer[] {
    return this.#try(
      (db) =>
        db
          .all<{ commit_oid: Oid; value: Uint8Array }>(
            `SELECT commit_oid, value FROM answers
             WHERE store = ? AND kind = ? AND path = ? ORDER BY id DESC`,
            store,
            HISTORY_KINDS[kind],
            path,
          )
          .map(({ commit_oid, value }) => ({ commit: commit_oid, value: decompress(value) })),
      [],
    )
  }

  has(kind: HistoryKind, store: string, path: string, commit: Oid): boolean {
    return this.#try(
      (db) =>
        db.one(
          'SELECT 1 FROM answers WHERE store = ? AND kind = ? AND path = ? AND commit_oid = ?',
          store,
          HISTORY_KINDS[kind],
          path,
          commit,
        ) !== null,
      false,
    )
  }

  /** Lists the paths with a result for any commit. */
  listPaths(kind: HistoryKind, store: string): string[] {
    return this.#try(
      (db) =>
        db
          .all<{ path: string }>(
            'SELECT DISTINCT path FROM answers WHERE store = ? AND kind = ?',
            store,
            HISTORY_KINDS[kind],
          )
          .map(({ path }) => path),
      [],
    )
  }

  /** Returns the commit of the latest result for a path. */
  latest(kind: HistoryKind, store: string, path: string): Oid | null {
    return this.#try(
      (db) =>
        db.one<{ commit_oid: Oid }>(
          `SELECT commit_oid FROM answers
           WHERE store = ? AND kind = ? AND path = ? ORDER BY id DESC LIMIT 1`,
          store,
          HISTORY_KINDS[kind],
          path,
        )?.commit_oid ?? null,
      null,
    )
  }

  put(kind: HistoryKind, store: string, path: string, commit: Oid, value: unknown): void {
    this.#try((db) => {
      const bytes = compress(value)
      if (bytes.length > this.maxBytes / 8) return
      transaction(db, () => {
        const added = db.run(
          `INSERT INTO answers (store, kind, path, commit_oid, size, value)
           VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          store,
          HISTORY_KINDS[kind],
          path,
          commit,
          bytes.length,
          bytes,
        )
        if (added === 0) return
        this.#bytes += bytes.length
        this.#drop(
          db,
          db.all<{ id: number; size: number }>(
            `SELECT id, size FROM answers
             WHERE store = ? AND kind = ? AND path = ? ORDER BY id DESC LIMIT -1 OFFSET ?`,
            store,
            HISTORY_KINDS[kind],
            path,
            MAX_ANSWERS_PER_PATH,
          ),
        )
        while (this.#bytes > this.maxBytes)
          this.#drop(
            db,
            db.all<{ id: number; size: number }>(
              'SELECT id, size FROM answers ORDER BY id LIMIT 64',
            ),
          )
      })
    }, undefined)
  }

  /** Stores a result in place of all others of its path. */
  replace(kind: HistoryKind, store: string, path: string, commit: Oid, value: unknown): void {
    this.#try((db) => {
      this.#drop(
        db,
        db.all<{ id: number; size: number }>(
          'SELECT id, size FROM answers WHERE store = ? AND kind = ? AND path = ?',
          store,
          HISTORY_KINDS[kind],
          path,
        ),
      )
    }, undefined)
    this.put(kind, store, path, commit, value)
  }

  /** Deletes all results of a store. */
  forget(store: string): void {
    this.#try(
      (db) =>
        this.#drop(
          db,
          db.all<{ id: number; size: number }>(
            'SELECT id, size FROM answers WHERE store = ?',
            store,
          ),
        ),
      undefined,
    )
  }

  close(): void {
    this.#closed = true
    this.#db?.close()
    this.#db = null
  }

  #drop(db: DatabaseHandle, rows: readonly { id: number; size: number }[]): void {
    for (const { id, size } of rows) {
      db.run('DELETE FROM answers WHERE id = ?', id)
      this.#bytes -= size
    }
  }

  /** Runs database work. If the file fails, the forge continues without the cache. */
  #try<T>(work: (db: DatabaseHandle) => T, otherwise: T): T {
    if (this.#closed || this.#failed) return otherwise
    try {
      if (this.#db === null) {
        this.#db = openCacheDatabase(this.path)
        this.#bytes =
          this.#db.one<{ size: number | null }>('SELECT sum(size) AS size FROM answers')?.size ?? 0
      }
      return work(this.#db)
    } catch (error) {
      // Another process is writing. The cache stays in use.
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return otherwise
      this.#failed = true
      this.onFault(error)
      return otherwise
    }
  }
}

/** The history cache of a forge. */
export const historyCache = service(
  'history cache',
  ({ settings, log }) =>
    new HistoryCache(join(settings.data, 'cache.db'), (error) =>
      log.warn('the history cache cannot be used', { error }),
    ),
  { close: (historyCache) => historyCache.close() },
)
