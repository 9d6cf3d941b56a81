/** Rows of milestones. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { likePattern } from '#lib/like-pattern.ts'
import { nameKey } from '../text.ts'

export type MilestoneRow = {
  readonly id: string
  readonly repo_id: string
  readonly title: string
  readonly description: string | null
  readonly due_on: string | null
  readonly state: 'open' | 'closed'
  readonly created_at: string
  readonly closed_at: string | null
}

export type CountedMilestoneRow = MilestoneRow & {
  readonly open_count: number
  readonly closed_count: number
}

const COUNTED = `SELECT m.*,
  (SELECT COUNT(*) FROM records r WHERE r.milestone_id = m.id AND r.open = 1) AS open_count,
  (SELECT COUNT(*) FROM records r WHERE r.milestone_id = m.id AND r.open = 0) AS closed_count
  FROM milestones m`

export const findMilestone = (db: Db, repo_id: string, id: string): CountedMilestoneRow | null =>
  db.one<CountedMilestoneRow>(`${COUNTED} WHERE m.id = ? AND m.repo_id = ?`, id, repo_id)

export const findMilestoneByTitle = (db: Db, repo_id: string, title: string): MilestoneRow | null =>
  db.one<MilestoneRow>(
    'SELECT * FROM milestones WHERE repo_id = ? AND key = ?',
    repo_id,
    nameKey(title),
  )

export const milestonesById = (db: Db, ids: readonly string[]): MilestoneRow[] =>
  ids.length === 0
    ? []
    : db.all<MilestoneRow>(
        'SELECT * FROM milestones WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      )

/** The milestones of several records of one repository, with the number of each. */
export const listMilestonesOf = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): (MilestoneRow & { number: number })[] =>
  db.all(
    `SELECT r.number, m.* FROM records r JOIN milestones m ON m.id = r.milestone_id
     WHERE r.repo_id = ? AND r.number IN (SELECT value FROM json_each(?))`,
    repo_id,
    JSON.stringify(numbers),
  )

/** Newest first; `q` is a part of the title. */
export function listMilestoneRows(
  db: Db,
  { repo_id, state, q = '' }: { repo_id: string; state: 'open' | 'closed' | 'all'; q?: string },
  limit: number,
  offset: number,
): CountedMilestoneRow[] {
  const states = state === 'all' ? ['open', 'closed'] : [state, state]
  return db.all<CountedMilestoneRow>(
    `${COUNTED} WHERE m.repo_id = ? AND m.state IN (?, ?) AND (? = '' OR m.key LIKE ? ESCAPE '\\')
     ORDER BY m.id DESC LIMIT ? OFFSET ?`,
    repo_id,
    ...states,
    q,
    likePattern(nameKey(q)),
    limit,
    offset,
  )
}

export function insertMilestone(
  tx: Tx,
  row: Pick<MilestoneRow, 'id' | 'repo_id' | 'title' | 'description' | 'due_on'>,
): void {
  tx.db.run(
    `INSERT INTO milestones (id, repo_id, title, key, description, due_on, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.title,
    nameKey(row.title),
    row.description,
    row.due_on,
    tx.now,
  )
}

export function setMilestone(
  tx: Tx,
  row: Pick<MilestoneRow, 'id' | 'title' | 'description' | 'due_on' | 'state' | 'closed_at'>,
): void {
  tx.db.run(
    `UPDATE milestones
      SET title = ?, key = ?, description = ?, due_on = ?, state = ?, closed_at = ? WHERE id = ?`,
    row.title,
    nameKey(row.title),
    row.description,
    row.due_on,
    row.state,
    row.closed_at,
    row.id,
  )
}

/** Removes a milestone. Its issues stay without one. */
export function removeMilestone(tx: Tx, id: string): void {
  tx.db.run('DELETE FROM milestones WHERE id = ?', id)
}
