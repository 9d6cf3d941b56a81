/**
 * The index is a database file of its own. It holds nothing that cannot be rebuilt from the forge's
 * database. So it can be deleted at any time, is not in backups, and needs no fsync for each
 * change. A thread of its own writes it, so indexing a large repository blocks neither the forge's
 * writer nor the event loop.
 */
import { openDatabase, transaction, type DatabaseHandle } from '#core/db.ts'
import { rmSync } from 'node:fs'

/** Incremented when the tables or the stored values change. Another number rebuilds the index. */
const FORMAT = 1

const SCHEMA = [
  'CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID',

  // Words of issues and pull requests. The rowid is the record's seq. The first two columns narrow
  // a query without reading records.
  `CREATE VIRTUAL TABLE text_fts USING fts5 (repo, kind, title, body, comments, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`,
  'CREATE TABLE texts (seq INTEGER PRIMARY KEY, repo_id TEXT NOT NULL)',
  'CREATE INDEX texts_of_repo ON texts (repo_id)',

  // Names, descriptions and topics of repositories, as trigrams.
  `CREATE VIRTUAL TABLE name_fts USING fts5 (name, description, topics, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1')`,
  'CREATE TABLE names (id INTEGER PRIMARY KEY, repo_id TEXT NOT NULL UNIQUE)',

  // One tree for each indexed branch; `ref` is empty for the default branch. `commit_oid` is the
  // commit that the tree holds, or is being updated to while `done` is 0.
  `CREATE TABLE trees (
    id INTEGER PRIMARY KEY, repo_id TEXT NOT NULL, ref TEXT NOT NULL, commit_oid TEXT, done INTEGER NOT NULL DEFAULT 0, used_at INTEGER NOT NULL DEFAULT 0,
    UNIQUE (repo_id, ref))`,
  // Folders that are completely indexed, with their git tree id. An unchanged folder is skipped.
  'CREATE TABLE dirs (tree INTEGER NOT NULL, path TEXT NOT NULL, oid TEXT NOT NULL, PRIMARY KEY (tree, path)) WITHOUT ROWID',
  `CREATE TABLE files (
    tree INTEGER NOT NULL, dir TEXT NOT NULL, name TEXT NOT NULL, blob INTEGER NOT NULL, language TEXT, generated INTEGER NOT NULL,
    PRIMARY KEY (tree, dir, name)) WITHOUT ROWID`,
  'CREATE INDEX files_of_blob ON files (blob, tree)',
  // A blob is stored once for all repositories and paths. Binary blobs have no chunks.
  'CREATE TABLE blobs (id INTEGER PRIMARY KEY AUTOINCREMENT, oid TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, generated INTEGER NOT NULL)',
  // The compressed text in chunks of whole lines, so only chunks that may match are decompressed.
  // `line` is the number of the first line. chunks.ts explains the ids.
  'CREATE TABLE chunks (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, text BLOB NOT NULL)',
  `CREATE VIRTUAL TABLE code_fts USING fts5 (text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
  'CREATE TABLE symbols (blob INTEGER NOT NULL, line INTEGER NOT NULL, name TEXT NOT NULL COLLATE NOCASE, kind TEXT NOT NULL, PRIMARY KEY (blob, line)) WITHOUT ROWID',
  'CREATE INDEX symbols_by_name ON symbols (name, blob)',
]

export const readMeta = (db: DatabaseHandle, key: string): string | null =>
  db.one<{ value: string | null }>('SELECT value FROM meta WHERE key = ?', key)?.value ?? null

export const writeMeta = (db: DatabaseHandle, key: string, value: string): void =>
  void db.run(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    key,
    value,
  )

function isCurrent(db: DatabaseHandle): boolean {
  const there =
    db.one(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`) !== null
  return there && readMeta(db, 'format') === String(FORMAT)
}

function openOrNull(path: string): DatabaseHandle | null {
  let db: DatabaseHandle | null = null
  try {
    db = openDatabase({ path })
    if (isCurrent(db)) return db
    db.close()
  } catch {
    // Damaged or not a database. It can be rebuilt.
    db?.raw.close()
  }
  return null
}

/** Opens the index for its writer. Creates it when it is missing, damaged, or of another format. */
export function openIndex(path: string, forge: string): DatabaseHandle {
  let db = openOrNull(path)
  if (!db) {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    const fresh = openDatabase({ path })
    transaction(fresh, () => {
      for (const sql of SCHEMA) fresh.exec(sql)
      writeMeta(fresh, 'format', String(FORMAT))
    })
    db = fresh
  }
  // After a power failure the last changes may be missing. The sweep finds them.
  db.exec('PRAGMA synchronous = NORMAL')
  db.exec('PRAGMA wal_autocheckpoint = 2000')
  attachForge(db, forge)
  return db
}

/** Opens the index for a reader thread. */
export function openIndexForReading(path: string, forge: string): DatabaseHandle {
  const db = openDatabase({ path, readonly: true })
  db.exec('PRAGMA cache_size = -65536')
  db.exec('PRAGMA mmap_size = 268435456')
  attachForge(db, forge)
  return db
}

/** Runs a transaction on the index without a write lock on the forge's database. */
export const indexTransaction = <T>(db: DatabaseHandle, run: () => T): T =>
  transaction(db, run, 'DEFERRED')

function attachForge(db: DatabaseHandle, forge: string): void {
  db.raw.run('ATTACH ? AS forge', [forge])
  db.exec('PRAGMA forge.cache_size = -16384')
}
