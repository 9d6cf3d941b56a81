/**
 * Events: one row for everything that happened, in the same transaction as the change. The rows are
 * the timeline, and what must follow an event follows in that transaction too, as reactions. So
 * there is no change without its event and no event without its consequences, whenever the process
 * is killed.
 */
import type { Static, TObject, TProperties } from 'typebox'
import type { Tx } from './write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Db, WritableDb } from './db.ts'

export type EventType<P extends TProperties = TProperties> = {
  readonly type: string
  readonly data: TObject<P>
  /** One line of plain text about it for people; `by` is who did it. */
  summary(data: Static<TObject<P>>, by: string): string
}

/**
 * Declares a type of event; the names and data are part of the public interface (webhooks,
 * timeline).
 */
export const event = <P extends TProperties>(
  type: string,
  data: TObject<P>,
  summary: (data: Static<TObject<P>>, by: string) => string,
): EventType<P> => ({ type, data, summary })

/** One event as stored. `actor_id` is null for what the service did by itself. */
export type EventRow<Data = Record<string, unknown>> = {
  readonly id: string
  readonly type: string
  readonly time: Timestamp
  readonly workspace_id: string
  readonly repo_id: string | null
  readonly actor_id: string | null
  readonly data: Data
}

/** What an event is about. */
export type Subject = { readonly workspace_id: string; readonly repo_id: string | null }

/**
 * Follows events of one type, or all (`*`), inside their transaction. It may write its own tables,
 * enqueue a job, append further events, or throw a Refusal, which undoes the whole change: that is
 * how rules refuse pushes and merges.
 */
export type Reaction = {
  readonly on: string
  readonly name: string
  readonly run: (tx: Tx, event: EventRow) => void
}

export const reaction = <P extends TProperties>(
  name: string,
  on: EventType<P>,
  run: (tx: Tx, event: EventRow<Static<TObject<P>>>) => void,
): Reaction => ({ on: on.type, name, run: run as Reaction['run'] })

export const reactionToAll = (name: string, run: (tx: Tx, event: EventRow) => void): Reaction => ({
  on: '*',
  name,
  run,
})

/**
 * Something that other features may have to act upon in the same transaction, but that is no news
 * for anybody: it leaves no row. A feature says it with `tx.signal`; what follows it is listed
 * among `followers` of other features.
 */
export type Signal<P extends TProperties = TProperties> = {
  readonly signal: string
  readonly data: TObject<P>
}

export const signal = <P extends TProperties>(name: string, data: TObject<P>): Signal<P> => ({
  signal: name,
  data,
})

export type Follower = {
  readonly signal: string
  readonly name: string
  readonly run: (tx: Tx, data: unknown) => void
}

export const follower = <P extends TProperties>(
  name: string,
  on: Signal<P>,
  run: (tx: Tx, data: Static<TObject<P>>) => void,
): Follower => ({
  signal: on.signal,
  name,
  run: run as Follower['run'],
})

type Stored = Omit<EventRow, 'data'> & { data: string }

const parse = (row: Stored): EventRow => ({ ...row, data: JSON.parse(row.data) })

export function insertEvent(
  db: { run(sql: string, ...params: (string | number | null)[]): number },
  row: EventRow,
): void {
  const number = typeof row.data['number'] === 'number' ? row.data['number'] : null
  db.run(
    'INSERT INTO events (id, type, time, workspace_id, repo_id, actor_id, number, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    row.id,
    row.type,
    row.time,
    row.workspace_id,
    row.repo_id,
    row.actor_id,
    number,
    JSON.stringify(row.data),
  )
}

export type EventFilter = {
  repo_id?: string
  workspace_id?: string
  /** Only events about this issue or pull request. */
  number?: number
  types?: readonly string[]
  /** Only events strictly older than this id. */
  before?: string | null
  limit: number
}

/** Newest first. */
export function listEvents(db: Db, filter: EventFilter): EventRow[] {
  const where: string[] = []
  const params: (string | number)[] = []
  const add = (sql: string, ...values: (string | number)[]) => {
    where.push(sql)
    params.push(...values)
  }
  if (filter.repo_id !== undefined) add('repo_id = ?', filter.repo_id)
  if (filter.workspace_id !== undefined) add('workspace_id = ?', filter.workspace_id)
  if (filter.number !== undefined) add('number = ?', filter.number)
  if (filter.types && filter.types.length > 0)
    add(`type IN (SELECT value FROM json_each(?))`, JSON.stringify(filter.types))
  if (filter.before) add('id < ?', filter.before)
  const sql = `SELECT id, type, time, workspace_id, repo_id, actor_id, data FROM events WHERE ${where.join(' AND ') || '1'} ORDER BY id DESC LIMIT ?`
  return db.all<Stored>(sql, ...params, filter.limit).map(parse)
}

/**
 * Takes away events of a repository that is gone, some of them, all types but one. Gives how many.
 */
export const removeEvents = (
  db: WritableDb,
  repo_id: string,
  options: { but: string; limit: number },
): number =>
  db.run(
    'DELETE FROM events WHERE id IN (SELECT id FROM events WHERE repo_id = ? AND type <> ? LIMIT ?)',
    repo_id,
    options.but,
    options.limit,
  )

export function findEvent(db: Db, id: string): EventRow | null {
  const row = db.one<Stored>(
    'SELECT id, type, time, workspace_id, repo_id, actor_id, data FROM events WHERE id = ?',
    id,
  )
  return row && parse(row)
}

/**
 * The last ids of what is kept in the order that it happened: of events, and of the audit log,
 * which knows more.
 */
export const newestIds = (db: Db): string[] =>
  db
    .all<{ id: string | null }>(
      'SELECT max(id) AS id FROM events UNION ALL SELECT max(id) FROM audit_log',
    )
    .flatMap(({ id }) => (id === null ? [] : [id]))
