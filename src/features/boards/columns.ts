/** The columns of a board: the stored ones, or those that every project begins with. */
import type { Db } from '#core/db.ts'
import { labelName, nameKey, oneLine } from '#features/issues/index.ts'
import { invalid } from '#lib/errors.ts'
import type { ColumnKind } from './schema.ts'
import { listColumnRows, type ColumnRow } from './store.ts'

/** The label is created in a repository when the first issue is moved there. */
const DEFAULT_COLUMNS: readonly ColumnRow[] = [
  { name: 'To do', kind: 'open', label: null },
  { name: 'In progress', kind: 'label', label: 'in progress' },
  { name: 'Done', kind: 'closed', label: null },
]

export function columnsOf(db: Db, project_id: string): readonly ColumnRow[] {
  const rows = listColumnRows(db, project_id)
  return rows.length === 0 ? DEFAULT_COLUMNS : rows
}

/** Throws 422 for a name that no column has. */
export function requireColumn(columns: readonly ColumnRow[], name: string): ColumnRow {
  const column = columns.find((one) => nameKey(one.name) === nameKey(name))
  if (column) return column
  const names = columns.map((one) => one.name).join(', ')
  throw invalid('column', `The board has no column ${name}. It has ${names}.`)
}

/** The keys of the labels of all columns. */
export const boardLabels = (columns: readonly ColumnRow[]): string[] =>
  columns.flatMap(({ label }) => (label === null ? [] : [nameKey(label)]))

/**
 * Checks new columns. Throws 422 for a name or a label that is used twice, a second column of open
 * or of closed issues, and a label that is missing or too much.
 */
export function validColumns(
  given: readonly { name: string; kind: ColumnKind; label?: string }[],
): ColumnRow[] {
  const taken = new Set<string>()
  const take = (field: string, key: string, problem: string): void => {
    if (taken.has(key)) throw invalid(field, problem)
    taken.add(key)
  }
  return given.map((column, at) => {
    const field = `columns[${at}]`
    const name = oneLine(`${field}.name`, column.name)
    const label =
      column.label === undefined || column.label.trim() === ''
        ? null
        : labelName(`${field}.label`, column.label)
    if (column.kind === 'label' && label === null)
      throw invalid(`${field}.label`, `The column ${name} needs a label.`)
    if (column.kind !== 'label' && label !== null)
      throw invalid(`${field}.label`, `Only columns of kind label have a label.`)
    take(`${field}.name`, `name ${nameKey(name)}`, `There are two columns ${name}.`)
    if (label === null)
      take(`${field}.kind`, column.kind, `A board has one column of ${column.kind} issues.`)
    else take(`${field}.label`, `label ${nameKey(label)}`, `Two columns have the label ${label}.`)
    return { name, kind: column.kind, label }
  })
}
