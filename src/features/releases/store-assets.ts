/** SQL for the table `release_assets`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import type { Timestamp } from '#lib/time.ts'

export type AssetRow = {
  readonly id: string
  readonly release_id: string
  readonly name: string
  readonly label: string | null
  readonly content_type: string
  readonly size_in_bytes: number
  readonly sha256: string
  readonly download_count: number
  readonly uploader_id: string
  readonly created_at: Timestamp
}

export function requireAsset(db: Db, repo_id: string, id: string): AssetRow {
  const row = db.one<AssetRow>(
    'SELECT a.* FROM release_assets a JOIN releases r ON r.id = a.release_id WHERE a.id = ? AND r.repo_id = ?',
    id,
    repo_id,
  )
  if (!row) throw notFound(`the file ${id.slice(0, 100)}`)
  return row
}

export const findAsset = (db: Db, release_id: string, name: string): AssetRow | null =>
  db.one<AssetRow>(
    'SELECT * FROM release_assets WHERE release_id = ? AND name = ?',
    release_id,
    name,
  )

/** The files of several releases, at most `limit` of each, by the ids of the releases. Ordered by name. */
export const assetRowsOf = (
  db: Db,
  release_ids: readonly string[],
  limit: number,
): ReadonlyMap<string, AssetRow[]> =>
  Map.groupBy(
    db.all<AssetRow>(
      `SELECT a.* FROM json_each(?) r CROSS JOIN release_assets a ON a.id IN (SELECT id FROM release_assets
         WHERE release_id = r.value ORDER BY name LIMIT ?) ORDER BY a.name`,
      JSON.stringify(release_ids),
      limit,
    ),
    ({ release_id }) => release_id,
  )

/** Ordered by name. */
export const listAssetRows = (db: Db, release_id: string, limit: number, offset = 0): AssetRow[] =>
  db.all<AssetRow>(
    'SELECT * FROM release_assets WHERE release_id = ? ORDER BY name LIMIT ? OFFSET ?',
    release_id,
    limit,
    offset,
  )

export const countAssets = (db: Db, release_id: string): number =>
  db.one<{ count: number }>(
    'SELECT count(*) AS count FROM release_assets WHERE release_id = ?',
    release_id,
  )?.count ?? 0

export const insertAsset = (tx: Tx, row: Omit<AssetRow, 'download_count' | 'created_at'>): void =>
  void tx.db.run(
    `INSERT INTO release_assets (id, release_id, name, label, content_type, size_in_bytes, sha256, uploader_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.release_id,
    row.name,
    row.label,
    row.content_type,
    row.size_in_bytes,
    row.sha256,
    row.uploader_id,
    tx.now,
  )

export const removeAsset = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM release_assets WHERE id = ?', id)

export const countDownload = (tx: Tx, id: string): void =>
  void tx.db.run('UPDATE release_assets SET download_count = download_count + 1 WHERE id = ?', id)

/** Whether any release has this blob. */
export const holdsBlob = (db: Db, sha256: string): boolean =>
  db.one('SELECT 1 FROM release_assets WHERE sha256 = ? LIMIT 1', sha256) !== null

export const listBlobs = (db: Db): string[] =>
  db
    .all<{ sha256: string }>('SELECT DISTINCT sha256 FROM release_assets')
    .map(({ sha256 }) => sha256)
