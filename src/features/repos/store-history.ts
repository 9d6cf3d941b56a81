/**
 * What was found out about history, kept on disk: the last commits of a folder at a commit, the
 * lines of a file at one. Nothing in it is ever wrong, because commits do not change; all of it can
 * be found again. So the file is in no backup, is not synced, may be deleted while the forge is
 * stopped, and is made anew when it is damaged or of another format.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, transaction, type DatabaseHandle } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'

/** Changes with the table, or with what is put into it. */
const FORMAT = 1

/** The oldest go beyond this. */
const MOST_BYTES = 256 * 1024 * 1024
/** Of one path only the latest are kept: from them the next is made. */
const MOST_OF_PATH = 3

export const HISTORY_KINDS = { folder: 1, blame: 2 } as const
export type HistoryKind = keyof typeof HISTORY_KINDS

export type Kept = { readonly commit: Oid; readonly value: unknown }

const TABLES = [
  `CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT, store TEXT NOT NULL, kind INTEGER NOT NULL, path TEXT NOT NULL, commit_oid TEXT NOT NULL, size INTEGER NOT NULL, value BLOB NOT NULL,
    UNIQUE (store, kind, path, commit_oid))`,
  `PRAGMA user_version = ${FORMAT}`,
]

function open(path: string): DatabaseHandle {
  const tuned = (db: DatabaseHandle): DatabaseHandle => {
    db.exec('PRAGMA synchronous = OFF')
    // A command beside the forge may write too; nobody waits for it.
    db.exec('PRAGMA busy_timeout = 50')
    return db
  }
  let db: DatabaseHandle | null = null
  try {
    db = openDatabase({ path })
    if (db.one<{ user_version: number }>('PRAGMA user_version')?.user_version === FORMAT)
      return tuned(db)
  } catch {
    // Damaged, or no database at all: it is made anew.
  }
  db?.raw.close()
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  const fresh = tuned(openDatabase({ path }))
  transaction(fresh, () => {
    for (const sql of TABLES) fresh.exec(sql)
  })
  return fresh
}

const pack = (value: unknown): Uint8Array =>
  Bun.zstdCompressSync(Buffer.from(JSON.stringify(value)), { level: 3 })
const unpack = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(Bun.zstdDecompressSync(bytes)).toString('utf8'))

export class KeptHistory {
  #db: DatabaseHandle | null = null
  #bytes = 0
  #failed = false
  #closed = false

  constructor(
    private readonly path: string,
    private readonly onFault: (error: unknown) => void,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** The answer for exactly this commit, or null. */
  find(kind: HistoryKind, store: string, path: string, commit: Oid): unknown {
    return this.#try((db) => {
      const row = db.one<{ value: Uint8Array }>(
        'SELECT value FROM answers WHERE store = ? AND kind = ? AND path = ? AND commit_oid = ?',
        store,
        HISTORY_KINDS[kind],
        path,
        commit,
      )
      return row === null ? null : unpack(row.value)
    }, null)
  }

  /** Answers for other commits of the same path, the latest first. */
  listOthers(kind: HistoryKind, store: string, path: string): Kept[] {
    return this.#try(
      (db) =>
        db
          .all<{ commit_oid: Oid; value: Uint8Array }>(
            'SELECT commit_oid, value FROM answers WHERE store = ? AND kind = ? AND path = ? ORDER BY id DESC',
            store,
            HISTORY_KINDS[kind],
            path,
          )
          .map(({ commit_oid, value }) => ({ commit: commit_oid, value: unpack(value) })),
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

  /** The paths with an answer for any commit. */
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

  /** The commit of the latest answer for a path. */
  latest(kind: HistoryKind, store: string, path: string): Oid | null {
    return this.#try(
      (db) =>
        db.one<{ commit_oid: Oid }>(
          'SELECT commit_oid FROM answers WHERE store = ? AND kind = ? AND path = ? ORDER BY id DESC LIMIT 1',
          store,
          HISTORY_KINDS[kind],
          path,
        )?.commit_oid ?? null,
      null,
    )
  }

  put(kind: HistoryKind, store: string, path: string, commit: Oid, value: unknown): void {
    this.#try((db) => {
      const bytes = pack(value)
      if (bytes.length > this.mostBytes / 8) return
      transaction(db, () => {
        const added = db.run(
          'INSERT INTO answers (store, kind, path, commit_oid, size, value) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
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
            'SELECT id, size FROM answers WHERE store = ? AND kind = ? AND path = ? ORDER BY id DESC LIMIT -1 OFFSET ?',
            store,
            HISTORY_KINDS[kind],
            path,
            MOST_OF_PATH,
          ),
        )
        while (this.#bytes > this.mostBytes)
          this.#drop(
            db,
            db.all<{ id: number; size: number }>(
              'SELECT id, size FROM answers ORDER BY id LIMIT 64',
            ),
          )
      })
    }, undefined)
  }

  /** Forgets all that is known of a store. */
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

  /** Without its file the forge goes on, and finds things out anew each time. */
  #try<T>(work: (db: DatabaseHandle) => T, otherwise: T): T {
    if (this.#closed || this.#failed) return otherwise
    try {
      if (this.#db === null) {
        this.#db = open(this.path)
        this.#bytes =
          this.#db.one<{ size: number | null }>('SELECT sum(size) AS size FROM answers')?.size ?? 0
      }
      return work(this.#db)
    } catch (error) {
      // Another writes at this moment: that is no reason to do without.
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return otherwise
      this.#failed = true
      this.onFault(error)
      return otherwise
    }
  }
}

/** By the database, which is one however the forge is handed around. */
const opened = new WeakMap<Hearth['database'], KeptHistory>()

/** What one forge has kept. */
export function keptHistory(hearth: Hearth): KeptHistory {
  const known = opened.get(hearth.database)
  if (known) return known
  const kept = new KeptHistory(join(hearth.settings.data, 'cache.db'), (error) =>
    hearth.log.warn('what was found out about history cannot be kept', { error }),
  )
  opened.set(hearth.database, kept)
  if (hearth.stopping.aborted) kept.close()
  else hearth.onClose(() => kept.close())
  return kept
}
