/**
 * Events: one row for each change, written in the transaction of the change. The rows are the
 * timeline. Reactions to an event run in the same transaction. So every change has its event and
 * every event its consequences, whenever the process is killed.
 */
import type { Static, TObject, TProperties } from 'typebox'
import type { Tx } from './write.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import type { Db, WritableDb } from './db.ts'
import { typeIdAt } from './ids.ts'

export type EventType<P extends TProperties = TProperties> = {
  readonly type: string
  readonly data: TObject<P>
  /** One line of plain text for people. `by` is the name of the actor. */
  summary(data: Static<TObject<P>>, by: string): string
}

/** Declares an event type. Its name and data are public interface (webhooks, timeline). */
export const event = <P extends TProperties>(
  type: string,
  data: TObject<P>,
  summary: (data: Static<TObject<P>>, by: string) => string,
): EventType<P> => ({ type, data, summary })

/** One stored event. `actor_id` is null when the forge itself made the change. */
export type EventRow<Data = Record<string, unknown>> = {
  readonly id: string
  readonly type: string
  readonly time: Timestamp
  readonly workspace_id: string
  readonly repo_id: string | null
  readonly actor_id: string | null
  readonly data: Data
}

/** The workspace and repository that an event belongs to. */
export type Subject = { readonly workspace_id: string; readonly repo_id: string | null }

/**
 * Runs in the transaction of events of one type, or of all types (`*`). It may write the tables of
 * its feature, enqueue jobs and append events. It may throw a Refusal, which rolls the whole change
 * back; rulesets refuse pushes and merges this way.
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
 * An internal event tells other features of a change in the same transaction, without a row in the
 * timeline. A feature emits it with `tx.emit`. Other features list their handlers in
 * `Feature.handlers`.
 */
export type InternalEvent<P extends TProperties = TProperties> = {
  readonly type: string
  readonly data: TObject<P>
}

export const internalEvent = <P extends TProperties>(
  type: string,
  data: TObject<P>,
): InternalEvent<P> => ({ type, data })

/** Runs in the transaction of one type of internal event. */
export type Handler = {
  readonly on: string
  readonly name: string
  readonly run: (tx: Tx, data: unknown) => void
}

export const handler = <P extends TProperties>(
  name: string,
  on: InternalEvent<P>,
  run: (tx: Tx, data: Static<TObject<P>>) => void,
): Handler => ({
  on: on.type,
  name,
  run: run as Handler['run'],
})

const COLUMNS = 'id, type, time, workspace_id, repo_id, actor_id, data'
type StoredEvent = Omit<EventRow, 'data'> & { data: string }

const parseRow = (row: StoredEvent): EventRow => ({ ...row, data: JSON.parse(row.data) })

export function insertEvent(db: Pick<WritableDb, 'append'>, row: EventRow): void {
  const number = typeof row.data.number === 'number' ? row.data.number : null
  db.append(
    `INSERT INTO events (id, type, time, workspace_id, repo_id, actor_id, number, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
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

/**
 * Stores an event of the past that comes from elsewhere. Nothing reacts to it, and nobody is told;
 * its id sorts by its time. Of several of one second, the lower `order` sorts first.
 */
export function insertPastEvent<P extends TProperties>(
  { db }: Pick<Tx, 'db'>,
  type: EventType<P>,
  subject: Subject,
  data: Static<TObject<P>>,
  past: { readonly actor_id: string | null; readonly at_ms: number; readonly order: number },
): string {
  const id = typeIdAt('evt', past.at_ms, past.order)
  insertEvent(db, {
    id,
    type: type.type,
    time: timestamp(past.at_ms),
    workspace_id: subject.workspace_id,
    repo_id: subject.repo_id,
    actor_id: past.actor_id,
    data: data as Record<string, unknown>,
  })
  return id
}

/** Gives what one actor did in a repository to another. */
export const changeEventActor = (tx: Tx, repo_id: string, from: string, to: string): void =>
  void tx.db.run(
    'UPDATE events SET actor_id = ? WHERE actor_id = ? AND repo_id = ?',
    to,
    from,
    repo_id,
  )

export type EventFilter = {
  repo_id?: string
  workspace_id?: string
  /** Only events about this issue or pull request. */
  number?: number
  types?: readonly string[]
  /** None of these types. */
  except?: readonly string[]
  /** Only events strictly older than this id. */
  before?: string | null
  /** Only events from this id on. */
  from?: string | null
  oldestFirst?: boolean
  limit: number
}

/** Events by their ids, in no order. */
export const findEvents = (db: Db, ids: readonly string[]): EventRow[] =>
  db
    .all<StoredEvent>(
      `SELECT ${COLUMNS} FROM events WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    )
    .map(parseRow)

/** Newest first unless the filter says otherwise. */
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
  if (filter.except && filter.except.length > 0)
    add(`type NOT IN (SELECT value FROM json_each(?))`, JSON.stringify(filter.except))
  if (filter.before) add('id < ?', filter.before)
  if (filter.from) add('id >= ?', filter.from)
  const sql = `SELECT ${COLUMNS} FROM events
    WHERE ${where.join(' AND ') || '1'} ORDER BY id ${filter.oldestFirst ? 'ASC' : 'DESC'} LIMIT ?`
  return db.all<StoredEvent>(sql, ...params, filter.limit).map(parseRow)
}

/**
 * Deletes up to `limit` events of a purged repository, except those of the type `except`. Returns
 * how many it deleted.
 */
export const removeEvents = (
  db: WritableDb,
  repo_id: string,
  options: { except: string; limit: number },
): number =>
  db.run(
    `DELETE FROM events WHERE id IN
       (SELECT id FROM events WHERE repo_id = ? AND type <> ? LIMIT ?)`,
    repo_id,
    options.except,
    options.limit,
  )

export function findEvent(db: Db, id: string): EventRow | null {
  const row = db.one<StoredEvent>(`SELECT ${COLUMNS} FROM events WHERE id = ?`, id)
  return row && parseRow(row)
}

/** The newest ids of events and of the audit log. New ids must sort after both. */
export const newestIds = (db: Db): string[] =>
  db
    .all<{ id: string | null }>(
      'SELECT max(id) AS id FROM events UNION ALL SELECT max(id) FROM audit_log',
    )
    .flatMap(({ id }) => (id === null ? [] : [id]))
