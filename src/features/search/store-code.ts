/** SQL for indexed code: the trees of commits folder by folder, and each blob once. */
import type { DatabaseHandle } from '#core/db.ts'
import { splitChunks, MAX_CHUNKS_PER_BLOB, firstChunk } from './chunks.ts'
import { indexTransaction } from './store-index.ts'
import { findSymbols } from './symbols.ts'
import { WIKI_REF } from './wiki-ref.ts'
import { isBinary, looksGenerated } from './text-kind.ts'

export type TreeState = {
  readonly id: number
  readonly commit_oid: string | null
  readonly done: boolean
}
type TreeRow = { id: number; commit_oid: string | null; done: number }

export const findTree = (db: DatabaseHandle, repo_id: string, ref: string): TreeState | null => {
  const row = db.one<TreeRow>(
    'SELECT id, commit_oid, done FROM trees WHERE repo_id = ? AND ref = ?',
    repo_id,
    ref,
  )
  return row && { id: row.id, commit_oid: row.commit_oid, done: row.done === 1 }
}

/** Marks a tree as being updated to a commit. Returns its previous state. */
export function beginTree(
  db: DatabaseHandle,
  repo_id: string,
  ref: string,
  commit: string,
  now: number,
): TreeState {
  return indexTransaction(db, () => {
    const before = findTree(db, repo_id, ref)
    if (before?.done && before.commit_oid === commit) {
      db.run('UPDATE trees SET used_at = ? WHERE id = ?', now, before.id)
      return before
    }
    const row = db.one<{ id: number }>(
      `INSERT INTO trees (repo_id, ref, commit_oid, used_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT DO UPDATE SET commit_oid = ?3, done = 0, used_at = ?4 RETURNING id`,
      repo_id,
      ref,
      commit,
      now,
    )
    return { id: row?.id ?? 0, commit_oid: before?.commit_oid ?? null, done: false }
  })
}

export const endTree = (db: DatabaseHandle, tree: number, commit: string): void =>
  void db.run('UPDATE trees SET done = 1 WHERE id = ? AND commit_oid = ?', tree, commit)

export type FolderVersion = { readonly path: string; readonly oid: string }

/**
 * Starts to update a changed folder. Returns which of its subfolders are not indexed in their
 * current version, and which blobs are missing.
 */
export function openFolder(
  db: DatabaseHandle,
  tree: number,
  path: string,
  folders: readonly FolderVersion[],
  oids: readonly string[],
): { folders: string[]; missing: string[] } {
  db.run('DELETE FROM dirs WHERE tree = ? AND path = ?', tree, path)
  const isWhole = (one: FolderVersion) =>
    db.one<{ oid: string }>('SELECT oid FROM dirs WHERE tree = ? AND path = ?', tree, one.path)
      ?.oid === one.oid
  return {
    folders: folders.filter((one) => !isWhole(one)).map((one) => one.path),
    missing: [...new Set(oids)].filter(
      (oid) => db.one('SELECT 1 FROM blobs WHERE oid = ?', oid) === null,
    ),
  }
}

export type NewBlob = {
  readonly oid: string
  readonly size: number
  /** Null for a blob that is unreadable or too large. */
  readonly data: Uint8Array | null
  /** Selects the rules that find symbols. */
  readonly language: string | null
}

const decoder = new TextDecoder()

/** Indexes new blobs. */
export function putBlobs(db: DatabaseHandle, blobs: readonly NewBlob[]): void {
  indexTransaction(db, () => {
    for (const { oid, size, data, language } of blobs) {
      const text = data === null || isBinary(data) ? null : decoder.decode(data)
      const row = db.one<{ id: number }>(
        'INSERT INTO blobs (oid, size, generated) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id',
        oid,
        size,
        text !== null && looksGenerated(text) ? 1 : 0,
      )
      // A blob may occur twice in one folder.
      if (!row || text === null || data === null) continue
      let chunk = firstChunk(row.id)
      let start = 1
      for (const part of splitChunks(data)) {
        const content = decoder.decode(part)
        db.run(
          'INSERT INTO chunks (id, line, text) VALUES (?, ?, ?)',
          chunk,
          start,
          Bun.zstdCompressSync(part, { level: 3 }),
        )
        db.run('INSERT INTO code_fts (rowid, text) VALUES (?, ?)', chunk, content)
        chunk++
        for (let end = content.indexOf('\n'); end >= 0; end = content.indexOf('\n', end + 1))
          start++
      }
      for (const { name, kind, line } of findSymbols(text, language))
        db.run(
          'INSERT OR IGNORE INTO symbols (blob, line, name, kind) VALUES (?, ?, ?, ?)',
          row.id,
          line,
          name,
          kind,
        )
    }
  })
}

export type NewFile = {
  readonly name: string
  readonly oid: string
  readonly language: string | null
  readonly generated: boolean
}

/** Deletes blobs without a file. */
function removeUnusedBlobs(db: DatabaseHandle, blobs: Iterable<number>): void {
  for (const blob of blobs) {
    if (db.one('SELECT 1 FROM files WHERE blob = ? LIMIT 1', blob)) continue
    const first = firstChunk(blob)
    for (const { id } of db.all<{ id: number }>(
      'SELECT id FROM chunks WHERE id >= ? AND id < ?',
      first,
      first + MAX_CHUNKS_PER_BLOB,
    ))
      db.run('DELETE FROM code_fts WHERE rowid = ?', id)
    db.run('DELETE FROM chunks WHERE id >= ? AND id < ?', first, first + MAX_CHUNKS_PER_BLOB)
    db.run('DELETE FROM symbols WHERE blob = ?', blob)
    db.run('DELETE FROM blobs WHERE id = ?', blob)
  }
}

/** A folder, and the range of paths below it. */
const pathRange = (path: string): [string, string, string] => [path, `${path}/`, `${path}0`]

/**
 * Lists the direct subfolders with indexed files, except those in `but`. Each query skips to the
 * next subfolder in path order.
 */
function listFoldersIn(
  db: DatabaseHandle,
  tree: number,
  path: string,
  but: ReadonlySet<string>,
): string[] {
  const found = new Set<string>()
  const start = path === '' ? '' : `${path}/`
  let after = start
  for (;;) {
    const next = db.one<{ dir: string }>(
      'SELECT dir FROM files WHERE tree = ? AND dir > ? ORDER BY dir LIMIT 1',
      tree,
      after,
    )?.dir
    if (next === undefined || !next.startsWith(start)) return [...found]
    const child = start + (next.slice(start.length).split('/')[0] ?? '')
    if (!but.has(child)) found.add(child)
    after = next === child ? child : `${child}0`
  }
}

/** Deletes a folder with everything below it. Returns the blobs that its files had. */
function removeFolder(db: DatabaseHandle, tree: number, path: string): number[] {
  const blobs = db.all<{ blob: number }>(
    'SELECT blob FROM files WHERE tree = ? AND (dir = ? OR (dir >= ? AND dir < ?))',
    tree,
    ...pathRange(path),
  )
  db.run(
    'DELETE FROM files WHERE tree = ? AND (dir = ? OR (dir >= ? AND dir < ?))',
    tree,
    ...pathRange(path),
  )
  db.run(
    'DELETE FROM dirs WHERE tree = ? AND (path = ? OR (path >= ? AND path < ?))',
    tree,
    ...pathRange(path),
  )
  return blobs.map(({ blob }) => blob)
}

/**
 * Stores all files directly in a folder and marks the folder as complete. Subfolders that are not
 * in `folders` are removed.
 */
export function putFolder(
  db: DatabaseHandle,
  tree: number,
  folder: FolderVersion,
  files: readonly NewFile[],
  folders: readonly string[],
): void {
  indexTransaction(db, () => {
    const { path, oid } = folder
    const left = new Map(
      db
        .all<{ name: string; blob: number }>(
          'SELECT name, blob FROM files WHERE tree = ? AND dir = ?',
          tree,
          path,
        )
        .map(({ name, blob }) => [name, blob]),
    )
    const loose = new Set<number>()
    for (const file of files) {
      const blob = db.one<{ id: number }>('SELECT id FROM blobs WHERE oid = ?', file.oid)?.id
      if (blob === undefined) continue
      const before = left.get(file.name)
      left.delete(file.name)
      if (before === blob) continue
      if (before !== undefined) loose.add(before)
      db.run(
        'INSERT OR REPLACE INTO files (tree, dir, name, blob, language, generated) VALUES (?, ?, ?, ?, ?, ?)',
        tree,
        path,
        file.name,
        blob,
        file.language,
        file.generated ? 1 : 0,
      )
    }
    for (const [name, blob] of left) {
      db.run('DELETE FROM files WHERE tree = ? AND dir = ? AND name = ?', tree, path, name)
      loose.add(blob)
    }
    for (const inner of listFoldersIn(db, tree, path, new Set(folders)))
      for (const blob of removeFolder(db, tree, inner)) loose.add(blob)
    db.run('INSERT OR REPLACE INTO dirs (tree, path, oid) VALUES (?, ?, ?)', tree, path, oid)
    removeUnusedBlobs(db, loose)
  })
}

const FILES_PER_BATCH = 500

/** Deletes part of a tree. Returns whether more remains. */
export function removeTree(db: DatabaseHandle, tree: number): boolean {
  return indexTransaction(db, () => {
    db.run('UPDATE trees SET done = 0, commit_oid = NULL WHERE id = ?', tree)
    db.run('DELETE FROM dirs WHERE tree = ?', tree)
    const files = db.all<{ dir: string; name: string; blob: number }>(
      'SELECT dir, name, blob FROM files WHERE tree = ? LIMIT ?',
      tree,
      FILES_PER_BATCH,
    )
    for (const { dir, name } of files)
      db.run('DELETE FROM files WHERE tree = ? AND dir = ? AND name = ?', tree, dir, name)
    removeUnusedBlobs(db, new Set(files.map(({ blob }) => blob)))
    if (files.length === FILES_PER_BATCH) return true
    db.run('DELETE FROM trees WHERE id = ?', tree)
    return false
  })
}

export const listTreesOf = (db: DatabaseHandle, repo_id: string): { id: number; ref: string }[] =>
  db.all('SELECT id, ref FROM trees WHERE repo_id = ?', repo_id)

/** Lists trees of other branches that were not searched since then. */
export const listUnusedTrees = (db: DatabaseHandle, since: number): number[] =>
  db
    .all<{ id: number }>(
      `SELECT id FROM trees WHERE ref NOT IN ('', '${WIKI_REF}') AND used_at < ? LIMIT 20`,
      since,
    )
    .map(({ id }) => id)

/** Deletes blobs that an interruption left without a file. Returns how many. */
export function removeOrphanBlobs(db: DatabaseHandle, limit: number): number {
  return indexTransaction(db, () => {
    const orphans = db.all<{ id: number }>(
      'SELECT id FROM blobs WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.blob = blobs.id) LIMIT ?',
      limit,
    )
    removeUnusedBlobs(
      db,
      orphans.map(({ id }) => id),
    )
    return orphans.length
  })
}

/** Lists repositories whose indexed code or wiki is missing, incomplete, or of another commit. */
export const listStaleRepos = (db: DatabaseHandle, limit: number): string[] =>
  db
    .all<{ id: string }>(
      `SELECT p.id FROM forge.repos p JOIN forge.refs f ON f.repo_id = p.id AND f.name = 'refs/heads/' || p.default_branch
     LEFT JOIN trees t ON t.repo_id = p.id AND t.ref = ''
     WHERE p.parent_id IS NULL AND p.purged_at IS NULL AND (t.id IS NULL OR t.done = 0 OR t.commit_oid <> f.oid)
     UNION SELECT p.id FROM forge.repos p JOIN forge.wikis w ON w.repo_id = p.id
     LEFT JOIN trees t ON t.repo_id = p.id AND t.ref = '${WIKI_REF}'
     WHERE p.parent_id IS NULL AND p.purged_at IS NULL AND (t.id IS NULL OR t.done = 0 OR t.commit_oid <> w.commit_sha) LIMIT ?`,
      limit,
    )
    .map(({ id }) => id)

/** Lists repositories that the index has and the forge no longer has. */
export const listRemovedRepos = (db: DatabaseHandle, limit: number): string[] =>
  db
    .all<{ repo_id: string }>(
      `SELECT DISTINCT t.repo_id FROM trees t LEFT JOIN forge.repos p ON p.id = t.repo_id WHERE p.id IS NULL OR p.purged_at IS NOT NULL
     UNION SELECT n.repo_id FROM names n LEFT JOIN forge.repos p ON p.id = n.repo_id WHERE p.id IS NULL OR p.purged_at IS NOT NULL LIMIT ?`,
      limit,
    )
    .map(({ repo_id }) => repo_id)
