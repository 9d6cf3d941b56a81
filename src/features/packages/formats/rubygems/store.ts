/** SQL for the tables `gem_lines` and `gem_indexes`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'

export type GemIndexRow = {
  readonly package_id: string
  /** The revision of the package that the lines are made for. */
  readonly revision: number
  /** The numbers that the lines list, as a JSON array. */
  readonly numbers: string
}

export const findGemIndex = (db: Db, package_id: string): GemIndexRow | null =>
  db.one<GemIndexRow>('SELECT * FROM gem_indexes WHERE package_id = ?', package_id)

export const putGemIndex = (tx: Tx, row: GemIndexRow): void =>
  void tx.db.run(
    `INSERT INTO gem_indexes (package_id, revision, numbers) VALUES (?, ?, ?)
     ON CONFLICT (package_id) DO UPDATE SET revision = excluded.revision, numbers = excluded.numbers`,
    row.package_id,
    row.revision,
    row.numbers,
  )

export const insertGemLine = (tx: Tx, package_id: string, line: string): void =>
  void tx.db.run('INSERT INTO gem_lines (package_id, line) VALUES (?, ?)', package_id, line)

/** The lines of the named packages, the oldest first. */
export const listGemLines = (db: Db, package_ids: readonly string[]): string[] =>
  db
    .all<{ line: string }>(
      `SELECT l.line FROM json_each(?) i JOIN gem_lines l ON l.package_id = i.value
       ORDER BY l.id`,
      JSON.stringify(package_ids),
    )
    .map(({ line }) => line)
