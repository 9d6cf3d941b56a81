/**
 * Filters and sorts lists of issues and of pull requests. A query starts from the table with the
 * fewest matching rows (words, a label, an assignee, else the records), each of which has an index
 * for it. It returns numbers only; the rows of one page are read afterwards.
 */
import type { Db, SqlValue } from '#core/db.ts'
import type { RecordLack, RecordSort, SortDirection } from './schema.ts'
import { repoTerm } from './store-issues.ts'
import { countRecords, type RecordKind } from './store-records.ts'

/** Conditions of another feature on its own table with the columns repo_id and number. */
export type JoinedConditions = {
  /** The table with its alias. */
  table: string
  alias: string
  where: readonly string[]
  params: readonly SqlValue[]
  /** Whether few rows of that table match, so that the query may start from it. */
  narrow: boolean
}

export type RecordFilter = {
  kind: RecordKind
  repo_id: string
  state: 'open' | 'closed' | 'all'
  /** Labels that the record must all have, the rarest first. */
  label_ids: readonly string[]
  /** Any of these accounts; null for no filter. */
  assignee_ids: readonly string[] | null
  author_ids: readonly string[] | null
  milestone_id: string | null
  /** What the record must not have. */
  without: readonly RecordLack[]
  words: readonly string[] | null
  sort: RecordSort
  direction: SortDirection
  joined: JoinedConditions | null
}

type ListQuery = {
  from: string
  where: string[]
  params: SqlValue[]
  number: string
  order: string
}

/** Matches of words are counted up to this number, because each match has to be read. */
export const MAX_COUNTED_MATCHES = 1000

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
const isOpen = (state: RecordFilter['state']): string =>
  state === 'all' ? 'IN (0, 1)' : state === 'open' ? '= 1' : '= 0'

/** The words of a search, at most 16, without the operators of FTS5. */
export const searchWords = (text: string): string[] =>
  (text.normalize('NFC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).slice(0, 16)

/** A word matches as a prefix, unless it is so short that it would match nearly everything. */
const ftsMatch = (repo_id: string, words: readonly string[]): string => {
  const terms = words.map((word) => (/^[\x20-\x7e]{1,2}$/.test(word) ? `"${word}"` : `"${word}" *`))
  return `repo : "${repoTerm(repo_id)}" AND {title body} : (${terms.join(' AND ')})`
}

const adder =
  (q: ListQuery) =>
  (sql: string, ...values: readonly SqlValue[]): void => {
    q.where.push(sql)
    q.params.push(...values)
  }

const needsRecord = ({ sort, author_ids, milestone_id, without }: RecordFilter): boolean =>
  sort !== 'created' ||
  author_ids !== null ||
  milestone_id !== null ||
  without.includes('milestone')

/** The query with the table that it starts from, and the filters that this table leaves over. */
function startQuery(filter: RecordFilter): { q: ListQuery; rest: RecordFilter } {
  const { kind, repo_id, label_ids, assignee_ids, words, joined } = filter
  const open = isOpen(filter.state)
  const q: ListQuery = { from: '', where: [], params: [], number: 'd.number', order: '' }
  const add = adder(q)
  const records = needsRecord(filter)
    ? ' CROSS JOIN records r ON r.repo_id = d.repo_id AND r.number = d.number'
    : ''
  const [label_id] = label_ids
  if (words) {
    q.from = 'record_fts f CROSS JOIN records r ON r.seq = f.rowid'
    q.number = 'r.number'
    add('record_fts MATCH ?', ftsMatch(repo_id, words))
    add(`r.repo_id = ? AND r.kind = ? AND r.open ${open}`, repo_id, kind)
    return { q, rest: filter }
  }
  if (label_id !== undefined) {
    q.from = `record_labels d${records}`
    add(
      `d.label_id = ? AND d.kind = ? AND d.open ${open} AND d.repo_id = ?`,
      label_id,
      kind,
      repo_id,
    )
    return { q, rest: { ...filter, label_ids: label_ids.slice(1) } }
  }
  if (assignee_ids) {
    q.from = `assignees d${records}`
    add(
      `d.actor_id IN (${placeholders(assignee_ids)}) AND d.repo_id = ? AND d.kind = ? AND d.open ${open}`,
      ...assignee_ids,
      repo_id,
      kind,
    )
    return { q, rest: { ...filter, assignee_ids: null } }
  }
  if (joined?.narrow && records === '') {
    q.from = joined.table
    q.number = `${joined.alias}.number`
    add(`${joined.alias}.repo_id = ?`, repo_id)
    for (const sql of joined.where) add(sql)
    q.params.push(...joined.params)
    return { q, rest: { ...filter, joined: null } }
  }
  q.from = 'records r'
  q.number = 'r.number'
  add(`r.repo_id = ? AND r.kind = ? AND r.open ${open}`, repo_id, kind)
  return { q, rest: filter }
}

function buildQuery(filter: RecordFilter): ListQuery {
  const { q, rest } = startQuery(filter)
  addFilters(q, rest)
  const way = filter.direction === 'asc' ? 'ASC' : 'DESC'
  // Rows of the text index are in the order of the records, so the newest matches need no sorting.
  const created = filter.words ? `f.rowid ${way}` : `${q.number} ${way}`
  q.order =
    filter.sort === 'created'
      ? created
      : `r.${filter.sort === 'updated' ? 'updated_at' : 'comments_count'} ${way}, r.number ${way}`
  return q
}

/** Adds the conditions that the starting table does not cover. */
function addFilters(q: ListQuery, filter: RecordFilter): void {
  const { repo_id, label_ids, assignee_ids, author_ids, milestone_id, without, joined } = filter
  const add = adder(q)
  if (joined) {
    const { table, alias, where, params } = joined
    q.from += ` CROSS JOIN ${table}`
    add(`${alias}.repo_id = ? AND ${alias}.number = ${q.number}`, repo_id)
    for (const sql of where) add(sql)
    q.params.push(...params)
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
  for (const [lack, table] of [
    ['label', 'record_labels'],
    ['assignee', 'assignees'],
  ] as const) {
    if (without.includes(lack))
      add(
        `NOT EXISTS (SELECT 1 FROM ${table} n WHERE n.repo_id = ? AND n.number = ${q.number})`,
        repo_id,
      )
  }
  if (without.includes('milestone')) add('r.milestone_id IS NULL')
}

/** Pages that begin before this row are read from the front of the list. */
const MIN_REVERSED_OFFSET = 1000

/**
 * Numbers of one page, in the order of the list. With `total`, the length of the whole list, a page
 * of its second half is read from the end, so the last page costs as much as the first.
 */
export function listRecordNumbers(
  db: Db,
  filter: RecordFilter,
  limit: number,
  offset: number,
  total?: number,
): number[] {
  if (total === undefined || offset < MIN_REVERSED_OFFSET || offset < total / 2)
    return readNumbers(db, filter, limit, offset)
  const count = Math.min(limit, total - offset)
  if (count <= 0) return []
  const direction = filter.direction === 'asc' ? 'desc' : 'asc'
  return readNumbers(db, { ...filter, direction }, count, total - offset - count).reverse()
}

function readNumbers(db: Db, filter: RecordFilter, limit: number, offset: number): number[] {
  const { from, where, params, number, order } = buildQuery(filter)
  // A record with two of the requested assignees is listed once.
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

/** The length of the whole list. Undefined when words match more than {@link MAX_COUNTED_MATCHES}. */
export function countListed(db: Db, filter: RecordFilter): number | undefined {
  const stored = storedCount(db, filter)
  if (stored !== null) return stored
  const { from, where, params, number } = buildQuery({ ...filter, sort: 'created' })
  const rows = `SELECT ${number} AS number FROM ${from} WHERE ${where.join(' AND ')}`
  const count =
    db.one<{ count: number }>(
      filter.words
        ? `SELECT COUNT(*) AS count FROM (${rows} LIMIT ${MAX_COUNTED_MATCHES + 1})`
        : `SELECT COUNT(DISTINCT number) AS count FROM (${rows})`,
      ...params,
    )?.count ?? 0
  return filter.words && count > MAX_COUNTED_MATCHES ? undefined : count
}

/** The length of a list whose count is stored, else null. */
function storedCount(db: Db, filter: RecordFilter): number | null {
  const { kind, repo_id, state, label_ids, assignee_ids, author_ids, milestone_id } = filter
  const others = assignee_ids ?? author_ids ?? milestone_id ?? filter.words ?? filter.joined ?? null
  if (others !== null || filter.without.length > 0) return null
  if (label_ids.length === 0) {
    const open = state === 'closed' ? 0 : countRecords(db, repo_id, kind, true)
    return open + (state === 'open' ? 0 : countRecords(db, repo_id, kind, false))
  }
  const [label_id] = label_ids
  if (kind !== 'issue' || state !== 'open' || label_ids.length > 1 || label_id === undefined)
    return null
  return (
    db.one<{ count: number }>('SELECT issues_count AS count FROM labels WHERE id = ?', label_id)
      ?.count ?? 0
  )
}
