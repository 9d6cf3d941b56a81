/** SQL for the numbers of downloads. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

/** The package or version may be gone by now; then nothing is counted. */
export const addDownloads = (
  tx: Tx,
  table: 'packages' | 'package_versions',
  id: string,
  count: number,
): void =>
  void tx.db.run(`UPDATE ${table} SET download_count = download_count + ? WHERE id = ?`, count, id)

export const addDownloadsOfDay = (tx: Tx, package_id: string, day: string, count: number): void =>
  void tx.db.run(
    `INSERT INTO package_downloads (package_id, day, count)
     SELECT id, ?2, ?3 FROM packages WHERE id = ?1
     ON CONFLICT (package_id, day) DO UPDATE SET count = count + excluded.count`,
    package_id,
    day,
    count,
  )

/** Days with downloads since a day, the earliest first. */
export const listDownloadDays = (
  db: Db,
  package_id: string,
  since: string,
): { day: string; count: number }[] =>
  db.all(
    'SELECT day, count FROM package_downloads WHERE package_id = ? AND day >= ? ORDER BY day',
    package_id,
    since,
  )

/** Deletes counts before a day. */
export const removeDownloadDays = (tx: Tx, before: string): void =>
  void tx.db.run('DELETE FROM package_downloads WHERE day < ?', before)
