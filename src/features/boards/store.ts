/** The tables `project_columns` and `project_cards`, and the issues that belong to a column. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { ColumnKind } from './schema.ts'

export type ColumnRow = { name: string; kind: ColumnKind; label: string | null }

export const listColumnRows = (db: Db, project_id: string): ColumnRow[] =>
  db.all<ColumnRow>(
    'SELECT name, kind, label FROM project_columns WHERE project_id = ? ORDER BY position',
    project_id,
  )

export function replaceColumns(tx: Tx, project_id: string, columns: readonly ColumnRow[]): void {
  tx.db.run('DELETE FROM project_columns WHERE project_id = ?', project_id)
  for (const [position, { name, kind, label }] of columns.entries())
    tx.db.run(
      'INSERT INTO project_columns (project_id, position, name, kind, label) VALUES (?, ?, ?, ?, ?)',
      project_id,
      position,
      name,
      kind,
      label,
    )
}

export type CardRow = {
  repo_id: string
  number: number
  title: string
  open: 0 | 1
  author_id: string
  milestone: string | null
  comments_count: number
  updated_at: string
  labels: { name: string; color: string }[]
  assignee_ids: string[]
}

export type CardQuery = {
  readonly project_id: string
  readonly repo_ids: readonly string[]
  readonly kind: ColumnKind
  /** The key of the column's label. */
  readonly label: string | null
  /** The keys of the labels of all columns. */
  readonly board_labels: readonly string[]
  /** Only issues that one of these accounts is assigned to; null for all. */
  readonly assignee_ids: readonly string[] | null
}

/** What the order of a column is stored under. A column that gets another name keeps it. */
const columnKey = ({ kind, label }: Pick<CardQuery, 'kind' | 'label'>): string =>
  label === null ? kind : `${kind} ${label}`

/**
 * In all queries below: ?1 repositories, ?2 label, ?3 labels of the board, ?4 assignees, ?5 limit, ?6
 * project, ?7 column, ?8 offset.
 */
const hasLabel = (of: string, keys: string): string => `EXISTS (SELECT 1 FROM record_labels x
  JOIN labels l ON l.id = x.label_id
  WHERE x.repo_id = ${of}.repo_id AND x.number = ${of}.number AND l.key ${keys})`

const BOARD_LABELS = 'IN (SELECT value FROM json_each(?3))'

/** Where the issues of one repository (`p.value`) come from, by the kind of the column. */
const CANDIDATES: Readonly<Record<ColumnKind, string>> = {
  open: `records n WHERE n.repo_id = p.value AND n.kind = 'issue' AND n.open = 1
    AND NOT ${hasLabel('n', BOARD_LABELS)}`,
  label: `labels k JOIN record_labels d ON d.label_id = k.id AND d.kind = 'issue' AND d.open = 1
    JOIN records n ON n.repo_id = d.repo_id AND n.number = d.number
    WHERE k.repo_id = p.value AND k.key = ?2`,
  closed: `records n WHERE n.repo_id = p.value AND n.kind = 'issue' AND n.open = 0`,
}

/** Whether a record (`r`) is in the column. */
const IS_IN: Readonly<Record<ColumnKind, string>> = {
  open: `r.kind = 'issue' AND r.open = 1 AND NOT ${hasLabel('r', BOARD_LABELS)}`,
  label: `r.kind = 'issue' AND r.open = 1 AND ${hasLabel('r', '= ?2')}`,
  closed: `r.kind = 'issue' AND r.open = 0`,
}

const isAssigned = (of: string): string => `(?4 IS NULL OR EXISTS (SELECT 1 FROM assignees a
  WHERE a.repo_id = ${of}.repo_id AND a.number = ${of}.number
    AND a.actor_id IN (SELECT value FROM json_each(?4))))`

const IS_ORDERED = `EXISTS (SELECT 1 FROM project_cards c WHERE c.project_id = ?6
  AND c.repo_id = n.repo_id AND c.number = n.number AND c.column_key = ?7)`

const CARD = `r.repo_id, r.number, r.title, r.open, r.author_id, r.comments_count, r.updated_at,
     m.title AS milestone,
     (SELECT json_group_array(json_object('name', l.name, 'color', l.color) ORDER BY l.key)
       FROM record_labels x JOIN labels l ON l.id = x.label_id
       WHERE x.repo_id = r.repo_id AND x.number = r.number) AS labels,
     (SELECT json_group_array(a.actor_id ORDER BY a.position) FROM assignees a
       WHERE a.repo_id = r.repo_id AND a.number = r.number) AS assignee_ids`

/** Those that were put in order by hand. */
const orderedCards = (kind: ColumnKind): string =>
  `SELECT ${CARD} FROM project_cards c
   JOIN records r ON r.repo_id = c.repo_id AND r.number = c.number
   LEFT JOIN milestones m ON m.id = r.milestone_id
   WHERE c.project_id = ?6 AND c.column_key = ?7
     AND c.repo_id IN (SELECT value FROM json_each(?1)) AND ${IS_IN[kind]} AND ${isAssigned('r')}
   ORDER BY c.position, c.repo_id, c.number LIMIT ?5 OFFSET ?8`

const otherCards = (kind: ColumnKind): string =>
  `SELECT ${CARD} FROM json_each(?1) p
   CROSS JOIN records r ON r.repo_id = p.value AND r.number IN (
     SELECT n.number FROM ${CANDIDATES[kind]} AND ${isAssigned('n')} AND NOT ${IS_ORDERED}
     ORDER BY n.updated_at DESC, n.number DESC LIMIT ?5 + ?8)
   LEFT JOIN milestones m ON m.id = r.milestone_id
   ORDER BY r.updated_at DESC, r.repo_id, r.number DESC LIMIT ?5 OFFSET ?8`

const countOrdered = (kind: ColumnKind): string =>
  `SELECT count(*) AS count FROM (${orderedCards(kind)})`

const countAny = (kind: ColumnKind): string =>
  `SELECT count(*) AS count FROM (
     SELECT 1 FROM json_each(?1) p CROSS JOIN ${CANDIDATES[kind]} AND ${isAssigned('n')}
     LIMIT ?5 OFFSET ?8)`

type StoredCard = Omit<CardRow, 'labels' | 'assignee_ids'> & {
  labels: string
  assignee_ids: string
}

const valuesOf = (query: CardQuery, limit: number, offset: number) =>
  [
    JSON.stringify(query.repo_ids),
    query.label,
    JSON.stringify(query.board_labels),
    query.assignee_ids && JSON.stringify(query.assignee_ids),
    limit,
    query.project_id,
    columnKey(query),
    offset,
  ] as const

/** How many cards a column has, up to a limit. */
export const countCards = (db: Db, query: CardQuery, limit: number): number =>
  db.one<{ count: number }>(countAny(query.kind), ...valuesOf(query, limit, 0))?.count ?? 0

/**
 * The issues of one column in all repositories: those that were put in order, then the others, the
 * last changed first. Each repository gives at most `offset + limit` of them from an index, so a large
 * one costs about as much as a small one.
 */
export function listCardRows(
  db: Db,
  query: CardQuery & { readonly limit: number; readonly offset: number },
): CardRow[] {
  const read = (sql: string, limit: number, offset: number): StoredCard[] =>
    db.all<StoredCard>(sql, ...valuesOf(query, limit, offset))
  const ordered = read(orderedCards(query.kind), query.limit, query.offset)
  const left = query.limit - ordered.length
  // Those that were put in order are on the pages before.
  const before =
    query.offset === 0 || left === 0
      ? 0
      : (db.one<{ count: number }>(countOrdered(query.kind), ...valuesOf(query, query.offset, 0))
          ?.count ?? 0)
  const others =
    left > 0 ? read(otherCards(query.kind), left, Math.max(0, query.offset - before)) : []
  return [...ordered, ...others].map((row) => ({
    ...row,
    labels: JSON.parse(row.labels) as CardRow['labels'],
    assignee_ids: JSON.parse(row.assignee_ids) as string[],
  }))
}

export type CardKey = { readonly repo_id: string; readonly number: number }

/** Stores the order of the cards of a column, from its top. */
export function setCardOrder(
  tx: Tx,
  project_id: string,
  column: Pick<CardQuery, 'kind' | 'label'>,
  cards: readonly CardKey[],
): void {
  for (const [position, { repo_id, number }] of cards.entries())
    tx.db.run(
      `INSERT INTO project_cards (project_id, repo_id, number, column_key, position)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT (project_id, repo_id, number)
       DO UPDATE SET column_key = excluded.column_key, position = excluded.position`,
      project_id,
      repo_id,
      number,
      columnKey(column),
      position,
    )
}
