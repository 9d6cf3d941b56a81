/** The table `project_columns`, and the issues that belong to a column. */
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
  repo_ids: readonly string[]
  kind: ColumnKind
  /** The key of the column's label. */
  label: string | null
  /** The keys of the labels of all columns. */
  board_labels: readonly string[]
  /** Only issues that one of these accounts is assigned to; null for all. */
  assignee_ids: readonly string[] | null
  limit: number
}

/** In all queries below: ?1 repositories, ?2 label, ?3 labels of the board, ?4 assignees, ?5 limit. */
const HAS_BOARD_LABEL = `SELECT 1 FROM record_labels x JOIN labels l ON l.id = x.label_id
  WHERE x.repo_id = n.repo_id AND x.number = n.number
    AND l.key IN (SELECT value FROM json_each(?3))`

/** Where the issues of one repository (`p.value`) come from, by the kind of the column. */
const CANDIDATES: Readonly<Record<ColumnKind, string>> = {
  open: `records n WHERE n.repo_id = p.value AND n.kind = 'issue' AND n.open = 1
    AND NOT EXISTS (${HAS_BOARD_LABEL})`,
  label: `labels k JOIN record_labels d ON d.label_id = k.id AND d.kind = 'issue' AND d.open = 1
    JOIN records n ON n.repo_id = d.repo_id AND n.number = d.number
    WHERE k.repo_id = p.value AND k.key = ?2`,
  closed: `records n WHERE n.repo_id = p.value AND n.kind = 'issue' AND n.open = 0`,
}

const IS_ASSIGNED = `(?4 IS NULL OR EXISTS (SELECT 1 FROM assignees a
  WHERE a.repo_id = n.repo_id AND a.number = n.number
    AND a.actor_id IN (SELECT value FROM json_each(?4))))`

const cardsOf = (kind: ColumnKind): string =>
  `SELECT r.repo_id, r.number, r.title, r.open, r.author_id, r.comments_count, r.updated_at,
     m.title AS milestone,
     (SELECT json_group_array(json_object('name', l.name, 'color', l.color) ORDER BY l.key)
       FROM record_labels x JOIN labels l ON l.id = x.label_id
       WHERE x.repo_id = r.repo_id AND x.number = r.number) AS labels,
     (SELECT json_group_array(a.actor_id ORDER BY a.position) FROM assignees a
       WHERE a.repo_id = r.repo_id AND a.number = r.number) AS assignee_ids
   FROM json_each(?1) p CROSS JOIN records r ON r.repo_id = p.value AND r.number IN (
     SELECT n.number FROM ${CANDIDATES[kind]} AND ${IS_ASSIGNED}
     ORDER BY n.updated_at DESC, n.number DESC LIMIT ?5)
   LEFT JOIN milestones m ON m.id = r.milestone_id
   ORDER BY r.updated_at DESC, r.repo_id, r.number DESC LIMIT ?5`

/**
 * The issues of one column in all repositories, the last changed first. Each repository gives at
 * most `limit` of them from an index, so a large one costs about as much as a small one.
 */
export const listCardRows = (db: Db, query: CardQuery): CardRow[] =>
  db
    .all<Omit<CardRow, 'labels' | 'assignee_ids'> & { labels: string; assignee_ids: string }>(
      cardsOf(query.kind),
      JSON.stringify(query.repo_ids),
      query.label,
      JSON.stringify(query.board_labels),
      query.assignee_ids && JSON.stringify(query.assignee_ids),
      query.limit,
    )
    .map((row) => ({
      ...row,
      labels: JSON.parse(row.labels) as CardRow['labels'],
      assignee_ids: JSON.parse(row.assignee_ids) as string[],
    }))
