/**
 * The index: a database file of its own beside the forge's. It holds nothing that cannot be made
 * again from the forge, so it may be deleted at any time, is in no backup, and does without an
 * fsync for every change. It is written in a thread of its own: taking in a large repository never
 * keeps the forge's one writer, or the event loop, from others.
 */
import { openDatabase, transaction, type DatabaseHandle } from '#core/db.ts'
import { rmSync } from 'node:fs'

/**
 * Changes with the tables below or with what is put into them; another number makes the index anew.
 */
const FORMAT = 1

const TABLES = [
  'CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID',

  // Words of issues and pull requests; the row is the record's seq. The first two columns narrow a
  // question without reading records.
  `CREATE VIRTUAL TABLE text_fts USING fts5 (repo, kind, title, body, comments, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`,
  'CREATE TABLE texts (seq INTEGER PRIMARY KEY, repo_id TEXT NOT NULL)',
  'CREATE INDEX texts_of_repo ON texts (repo_id)',

  // Names, descriptions and topics of repositories, by pieces of words.
  `CREATE VIRTUAL TABLE name_fts USING fts5 (name, description, topics, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1')`,
  'CREATE TABLE names (id INTEGER PRIMARY KEY, repo_id TEXT NOT NULL UNIQUE)',

  // One tree for each repository: that of its default branch (ref is empty), and of other branches
  // that were asked for. commit_oid is what it holds or is becoming; done says which.
  `CREATE TABLE trees (
    id INTEGER PRIMARY KEY, repo_id TEXT NOT NULL, ref TEXT NOT NULL, commit_oid TEXT, done INTEGER NOT NULL DEFAULT 0, used_at INTEGER NOT NULL DEFAULT 0,
    UNIQUE (repo_id, ref))`,
  // Folders that are in the index whole, with their git tree: what is the same there needs no
  // second look.
  'CREATE TABLE dirs (tree INTEGER NOT NULL, path TEXT NOT NULL, oid TEXT NOT NULL, PRIMARY KEY (tree, path)) WITHOUT ROWID',
  `CREATE TABLE files (
    tree INTEGER NOT NULL, dir TEXT NOT NULL, name TEXT NOT NULL, blob INTEGER NOT NULL, language TEXT, generated INTEGER NOT NULL,
    PRIMARY KEY (tree, dir, name)) WITHOUT ROWID`,
  'CREATE INDEX files_of_blob ON files (blob, tree)',
  // A blob is kept once, however many repositories and paths have it. What is not text has no
  // chunk.
  'CREATE TABLE blobs (id INTEGER PRIMARY KEY AUTOINCREMENT, oid TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, generated INTEGER NOT NULL)',
  // The text, packed, in chunks of whole lines, so that of a large file only what may hold the
  // words is unpacked. `line` is the number of its first one. See chunks.ts for ids.
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
    // Damaged, or no database at all. What is in it can be made again.
    db?.raw.close()
  }
  return null
}

/**
 * Opens the index for its one writer, and makes it anew when it is missing, damaged, or of another
 * format.
 */
export function openIndex(path: string, forge: string): DatabaseHandle {
  let db = openOrNull(path)
  if (!db) {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    const fresh = openDatabase({ path })
    transaction(fresh, () => {
      for (const sql of TABLES) fresh.exec(sql)
      writeMeta(fresh, 'format', String(FORMAT))
    })
    db = fresh
  }
  // After a power cut the last changes may be missing; they are found and made again.
  db.exec('PRAGMA synchronous = NORMAL')
  db.exec('PRAGMA wal_autocheckpoint = 2000')
  attachForge(db, forge)
  return db
}

/** Opens the index for a thread that only asks. */
export function openIndexForReading(path: string, forge: string): DatabaseHandle {
  const db = openDatabase({ path, readonly: true })
  db.exec('PRAGMA cache_size = -65536')
  db.exec('PRAGMA mmap_size = 268435456')
  attachForge(db, forge)
  return db
}

/** A transaction of the index, which never locks the forge's database for writing. */
export const inIndex = <T>(db: DatabaseHandle, run: () => T): T => transaction(db, run, 'DEFERRED')

function attachForge(db: DatabaseHandle, forge: string): void {
  db.raw.run('ATTACH ? AS forge', [forge])
  db.exec('PRAGMA forge.cache_size = -16384')
}
