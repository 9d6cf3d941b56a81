/** Rows of labels, and the labels of records. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import { likePattern } from '#lib/like-pattern.ts'
import { nameKey } from '../text.ts'

export type LabelRow = {
  readonly id: string
  readonly repo_id: string
  readonly name: string
  readonly key: string
  readonly color: string
  readonly description: string | null
  readonly issues_count: number
  readonly created_at: string
}

/** The condition on the names of the labels that have a text in them. */
const named = (q: string): { sql: string; values: string[] } =>
  q === ''
    ? { sql: '', values: [] }
    : { sql: "AND key LIKE ? ESCAPE '\\'", values: [likePattern(nameKey(q))] }

/** In alphabetical order; `q` is a part of the name. */
export function listLabelRows(
  db: Db,
  repo_id: string,
  limit: number,
  offset: number,
  q = '',
): LabelRow[] {
  const { sql, values } = named(q)
  return db.all<LabelRow>(
    `SELECT * FROM labels WHERE repo_id = ? ${sql} ORDER BY key LIMIT ? OFFSET ?`,
    repo_id,
    ...values,
    limit,
    offset,
  )
}

export function countLabels(db: Db, repo_id: string, q = ''): number {
  const { sql, values } = named(q)
  return (
    db.one<{ count: number }>(
      `SELECT COUNT(*) AS count FROM labels WHERE repo_id = ? ${sql}`,
      repo_id,
      ...values,
    )?.count ?? 0
  )
}

/** Those of the names that are labels, in alphabetical order. */
export const labelRowsByName = (db: Db, repo_id: string, names: readonly string[]): LabelRow[] =>
  db.all<LabelRow>(
    `SELECT * FROM labels WHERE repo_id = ? AND key IN (SELECT value FROM json_each(?))
     ORDER BY key`,
    repo_id,
    JSON.stringify(names.map(nameKey)),
  )

export const findLabel = (db: Db, repo_id: string, name: string): LabelRow | null =>
  db.one<LabelRow>('SELECT * FROM labels WHERE repo_id = ? AND key = ?', repo_id, nameKey(name))

export type NewLabel = { repo_id: string; name: string; color: string; description: string | null }

export function insertLabel(tx: Tx, label: NewLabel): string {
  const id = typeId('lbl', tx.now_ms)
  tx.db.run(
    `INSERT INTO labels (id, repo_id, name, key, color, description, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    id,
    label.repo_id,
    label.name,
    nameKey(label.name),
    label.color,
    label.description,
    tx.now,
  )
  return id
}

export function setLabel(
  tx: Tx,
  id: string,
  label: { name: string; color: string; description: string | null },
): void {
  tx.db.run(
    'UPDATE labels SET name = ?, key = ?, color = ?, description = ? WHERE id = ?',
    label.name,
    nameKey(label.name),
    label.color,
    label.description,
    id,
  )
}

/** Removes a label, also from all records. */
export function removeLabel(tx: Tx, id: string): void {
  tx.db.run('DELETE FROM labels WHERE id = ?', id)
}

/** Names of a record's labels, in alphabetical order. */
export const labelsOf = (db: Db, repo_id: string, number: number): string[] =>
  labelsOfAll(db, repo_id, [number]).get(number) ?? []

/** Names of the labels of several records, by number, each in alphabetical order. */
export function labelsOfAll(
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): Map<number, string[]> {
  const rows = db.all<{ number: number; name: string }>(
    `SELECT r.number, l.name FROM record_labels r JOIN labels l ON l.id = r.label_id
     WHERE r.repo_id = ? AND r.number IN (SELECT value FROM json_each(?)) ORDER BY l.key`,
    repo_id,
    JSON.stringify(numbers),
  )
  const names = new Map<number, string[]>()
  for (const { number, name } of rows) {
    const known = names.get(number)
    if (known) known.push(name)
    else names.set(number, [name])
  }
  return names
}

export const isLabelUsed = (db: Db, id: string): boolean =>
  db.one('SELECT 1 FROM record_labels WHERE label_id = ? LIMIT 1', id) !== null

export const labelIdsOf = (db: Db, repo_id: string, number: number): string[] =>
  db
    .all<{ label_id: string }>(
      'SELECT label_id FROM record_labels WHERE repo_id = ? AND number = ?',
      repo_id,
      number,
    )
    .map((row) => row.label_id)

export function addRecordLabel(tx: Tx, repo_id: string, number: number, label_id: string): void {
  tx.db.run(
    `INSERT INTO record_labels (repo_id, number, label_id, kind, open)
     SELECT repo_id, number, ?, kind, open FROM records WHERE repo_id = ? AND number = ?`,
    label_id,
    repo_id,
    number,
  )
}

export function removeRecordLabel(tx: Tx, repo_id: string, number: number, label_id: string): void {
  tx.db.run(
    'DELETE FROM record_labels WHERE repo_id = ? AND number = ? AND label_id = ?',
    repo_id,
    number,
    label_id,
  )
}
