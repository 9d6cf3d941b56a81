/**
 * `write(tx => …)` is the only way to change the database: a synchronous function in one SQLite
 * transaction (see `Writer`). The function appends events, and their reactions run in the same
 * transaction. The promise resolves when everything is on disk.
 */
import type { Static, TObject, TProperties } from 'typebox'
import { typeId } from './ids.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import { insertAudit, nowhere, type AuditEntry, type Origin } from './audit.ts'
import { actorId, type Caller } from './caller.ts'
import type { WritableDb } from './db.ts'
import {
  insertEvent,
  type EventRow,
  type EventType,
  type InternalEvent,
  type Subject,
} from './events.ts'
import type { Hearth } from './hearth.ts'
import { insertJob, type EnqueueOptions, type Job } from './jobs.ts'
import { readScope } from './read-scope.ts'

export type Tx = {
  readonly db: WritableDb
  readonly hearth: Hearth
  /** The time of this call, the same in every row it writes. */
  readonly now: Timestamp
  readonly now_ms: number
  /** Null for the forge itself. */
  readonly caller: Caller | null
  /**
   * Appends an event and runs its reactions. `as` names another actor than the caller (null: the
   * forge).
   */
  append<P extends TProperties>(
    type: EventType<P>,
    subject: Subject,
    data: Static<TObject<P>>,
    as?: { actor_id: string | null },
  ): EventRow
  /** Runs the handlers of an internal event. */
  emit<P extends TProperties>(event: InternalEvent<P>, data: Static<TObject<P>>): void
  /** Adds an entry to the audit log, with the caller and the origin of the request. */
  audit(entry: AuditEntry): void
  /** Adds a job. The runner is woken after the commit. */
  enqueue<I>(job: Job<I>, input: I, options?: EnqueueOptions): string
  /**
   * Runs a function after this transaction is on disk, for notifying live pages. A crash may skip
   * it, so required work belongs into a job.
   */
  afterCommit(run: () => void): void
}

type NotPromise<T> = T extends PromiseLike<unknown> ? never : T
export type Write = <T>(run: (tx: Tx) => NotPromise<T>) => Promise<T>

/** A deeper chain of events and reactions is a loop between features. */
const MAX_EVENT_DEPTH = 64

/** Runs one transaction for a caller (null: the forge itself). */
export function writeAs<T>(
  hearth: Hearth,
  caller: Caller | null,
  run: (tx: Tx) => NotPromise<T>,
  origin: Origin = nowhere,
): Promise<T> {
  const callbacks: (() => void)[] = []
  return hearth.writer
    .write(() => {
      callbacks.length = 0
      return readScope(hearth.database, () => run(createTx(hearth, caller, origin, callbacks))) as T
    })
    .then((result) => {
      for (const callback of callbacks) callback()
      return result
    })
}

/** A transaction that adds what must follow the commit to `callbacks`. */
function createTx(
  hearth: Hearth,
  caller: Caller | null,
  origin: Origin,
  callbacks: (() => void)[],
): Tx {
  const now_ms = hearth.clock.now()
  let depth = 0
  const tx: Tx = {
    db: hearth.database,
    hearth,
    now: timestamp(now_ms),
    now_ms,
    caller,
    append(type, subject, data, as) {
      const actor_id = as ? as.actor_id : caller && actorId(caller)
      const row: EventRow = {
        id: typeId('evt', now_ms),
        type: type.type,
        time: tx.now,
        workspace_id: subject.workspace_id,
        repo_id: subject.repo_id,
        actor_id,
        data: data as Record<string, unknown>,
      }
      insertEvent(tx.db, row)
      if (++depth > MAX_EVENT_DEPTH) throw new Error(`events go round in a circle at ${type.type}`)
      for (const { run: react } of hearth.reactionsTo(type.type)) react(tx, row)
      depth--
      callbacks.push(() => hearth.publish(row))
      return row
    },
    emit(event, data) {
      for (const handler of hearth.handlersOf(event.type)) handler.run(tx, data)
    },
    audit: (entry) =>
      insertAudit(tx.db, entry, {
        caller,
        origin: hearth.settings.audit.ip ? origin : { ...origin, ip: null },
        now: tx.now,
        now_ms,
      }),
    enqueue(job, input, options) {
      const id = insertJob(tx.db, job, input, now_ms, options)
      callbacks.push(() => hearth.jobs.wake())
      return id
    },
    afterCommit: (callback) => void callbacks.push(callback),
  }
  return tx
}
