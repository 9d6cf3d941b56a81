/**
 * Filters and sorts lists of issues. A query starts from the table with the fewest matching rows
 * (words, a label, an assignee, else the records), each of which has an index for it. It returns
 * numbers only; the rows of one page are read afterwards.
 */
import type { Db, SqlValue } from '#core/db.ts'
import { repoTerm } from './store-issues.ts'
import { countRecords } from './store-records.ts'

export type IssueSort = 'created' | 'updated' | 'comments'

export type IssueFilter = {
  repo_id: string
  state: 'open' | 'closed' | 'all'
  /** Labels that the issue must all have, the rarest first. */
  label_ids: readonly string[]
  /** Any of these accounts; null for no filter. */
  assignee_ids: readonly string[] | null
  author_ids: readonly string[] | null
  milestone_id: string | null
  words: readonly string[] | null
  sort: IssueSort
}

type ListQuery = {
  from: string
  where: string[]
  params: SqlValue[]
  number: string
  order: string
}

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
const isOpen = (state: IssueFilter['state']): string =>
  state === 'all' ? 'IN (0, 1)' : state === 'open' ? '= 1' : '= 0'

/** The words of a search, at most 16, without the operators of FTS5. */
export const searchWords = (text: string): string[] =>
  (text.normalize('NFC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, 16)

/** A word matches as a prefix, unless it is so short that it would match nearly everything. */
const ftsMatch = (repo_id: string, words: readonly string[]): string => {
  const terms = words.map((word) => (/^[\x20-\x7e]{1,2}$/.test(word) ? `"${word}"` : `"${word}" *`))
  return `repo : "${repoTerm(repo_id)}" AND {title body} : (${terms.join(' AND ')})`
}

function buildQuery(filter: IssueFilter): ListQuery {
  const { repo_id, label_ids, assignee_ids, author_ids, milestone_id, words } = filter
  const open = isOpen(filter.state)
  const q: ListQuery = { from: 'records r', where: [], params: [], number: 'r.number', order: '' }
  const add = (sql: string, ...values: SqlValue[]) => {
    q.where.push(sql)
    q.params.push(...values)
  }
  const needsRecord = filter.sort !== 'created' || author_ids !== null || milestone_id !== null
  const joined = needsRecord
    ? ' CROSS JOIN records r ON r.repo_id = d.repo_id AND r.number = d.number'
    : ''
  let labels = label_ids
  let assigned = assignee_ids
  if (words) {
    q.from = 'record_fts f CROSS JOIN records r ON r.seq = f.rowid'
    add('record_fts MATCH ?', ftsMatch(repo_id, words))
    add(`r.repo_id = ? AND r.kind = 'issue' AND r.open ${open}`, repo_id)
    q.number = 'r.number'
  } else if (labels[0] !== undefined) {
    q.from = `record_labels d${joined}`
    add(
      `d.label_id = ? AND d.kind = 'issue' AND d.open ${open} AND d.repo_id = ?`,
      labels[0],
      repo_id,
    )
    q.number = 'd.number'
    labels = labels.slice(1)
  } else if (assigned) {
    q.from = `assignees d${joined}`
    add(
      `d.actor_id IN (${placeholders(assigned)}) AND d.repo_id = ? AND d.kind = 'issue' AND d.open ${open}`,
      ...assigned,
      repo_id,
    )
    q.number = 'd.number'
    assigned = null
  } else add(`r.repo_id = ? AND r.kind = 'issue' AND r.open ${open}`, repo_id)

  addFilters(q, { ...filter, label_ids: labels, assignee_ids: assigned })
  // Rows of the text index are in the order of the records, so the newest matches need no sorting.
  const newest = words ? 'f.rowid DESC' : `${q.number} DESC`
  q.order =
    filter.sort === 'created'
      ? newest
      : `r.${filter.sort === 'updated' ? 'updated_at' : 'comments_count'} DESC, r.number DESC`
  return q
}

/** Adds the conditions that the starting table does not cover. */
function addFilters(
  q: ListQuery,
  { repo_id, label_ids, assignee_ids, author_ids, milestone_id }: IssueFilter,
): void {
  const add = (sql: string, ...values: SqlValue[]) => {
    q.where.push(sql)
    q.params.push(...values)
  }
  for (const label of label_ids) {
    add(
      `EXISTS (SELECT 1 FROM record_labels o WHERE o.repo_id = ? AND o.number = ${q.number} AND o.label_id = ?)`,
      repo_id,
      label,
    )
  }
  if (assignee_ids) {
    add(
      `EXISTS (SELECT 1 FROM assignees a WHERE a.repo_id = ? AND a.number = ${q.number}
         AND a.actor_id IN (${placeholders(assignee_ids)}))`,
      repo_id,
      ...assignee_ids,
    )
  }
  if (author_ids) add(`r.author_id IN (${placeholders(author_ids)})`, ...author_ids)
  if (milestone_id !== null) add('r.milestone_id = ?', milestone_id)
}

/** Numbers of one page, in the order of the list. */
export function listIssueNumbers(
  db: Db,
  filter: IssueFilter,
  limit: number,
  offset: number,
): number[] {
  const { from, where, params, number, order } = buildQuery(filter)
  // An issue with two of the requested assignees is listed once.
  const distinct = (filter.assignee_ids?.length ?? 0) > 1 ? 'DISTINCT ' : ''
  return db
    .all<{ number: number }>(
      `SELECT ${distinct}${number} AS number FROM ${from} WHERE ${where.join(' AND ')}
        ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...params,
      limit,
      offset,
    )
    .map((row) => row.number)
}

/**
 * The length of the whole list. Matches of words are not counted, because each would have to be
 * read.
 */
export function countIssues(db: Db, filter: IssueFilter): number {
  const { repo_id, state, label_ids, assignee_ids, author_ids, milestone_id } = filter
  const others = assignee_ids !== null || author_ids !== null || milestone_id !== null
  if (!others && label_ids.length === 0) {
    const open = state === 'closed' ? 0 : countRecords(db, repo_id, 'issue', true)
    return open + (state === 'open' ? 0 : countRecords(db, repo_id, 'issue', false))
  }
  const [label_id] = label_ids
  if (!others && label_ids.length === 1 && label_id !== undefined && state === 'open') {
    return (
      db.one<{ count: number }>('SELECT issues_count AS count FROM labels WHERE id = ?', label_id)
        ?.count ?? 0
    )
  }
  const { from, where, params, number } = buildQuery({ ...filter, sort: 'created' })
  return (
    db.one<{ count: number }>(
      `SELECT COUNT(DISTINCT ${number}) AS count FROM ${from} WHERE ${where.join(' AND ')}`,
      ...params,
    )?.count ?? 0
  )
}
