/**
 * The one way to change anything: `write(tx => …)`, a synchronous function in one SQLite
 * transaction (see `Writer`). The transaction appends its events, and their reactions run inside
 * it. It resolves when all of it is on disk.
 */
import type { Static, TObject, TProperties } from 'typebox'
import { typeId } from '#lib/typeid.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import { insertAudit, nowhere, type AuditEntry, type Origin } from './audit.ts'
import { actorId, type Caller } from './caller.ts'
import type { WritableDb } from './db.ts'
import { insertEvent, type EventRow, type EventType, type Signal, type Subject } from './events.ts'
import type { Hearth } from './hearth.ts'
import { insertJob, type EnqueueOptions, type Job } from './jobs.ts'

export type Tx = {
  readonly db: WritableDb
  readonly hearth: Hearth
  /** The moment of this call, the same in every row it writes. */
  readonly now: Timestamp
  readonly now_ms: number
  /** Who asked; null for the service itself. */
  readonly caller: Caller | null
  /**
   * Adds an event and runs its reactions. `as` names another actor than the caller (null: the
   * service).
   */
  append<P extends TProperties>(
    type: EventType<P>,
    subject: Subject,
    data: Static<TObject<P>>,
    as?: { actor_id: string | null },
  ): EventRow
  /** Tells other features of something that leaves no row of its own. */
  signal<P extends TProperties>(type: Signal<P>, data: Static<TObject<P>>): void
  /** Adds an entry to the audit log, with the caller and where the request came from. */
  audit(entry: AuditEntry): void
  /** Adds a job; the runner hears of it after the commit. */
  enqueue<I>(job: Job<I>, input: I, options?: EnqueueOptions): string
  /**
   * Runs once this transaction is on disk; never when it failed. For telling live pages, not for
   * work that must happen.
   */
  afterCommit(run: () => void): void
}

type NotPromise<T> = T extends PromiseLike<unknown> ? never : T
export type Write = <T>(run: (tx: Tx) => NotPromise<T>) => Promise<T>

/** A chain of reactions longer than this is a loop between features. */
const MOST_NESTED_EVENTS = 64

/** Runs one transaction for a caller (null: the service itself). */
export function writeAs<T>(
  hearth: Hearth,
  caller: Caller | null,
  run: (tx: Tx) => NotPromise<T>,
  origin: Origin = nowhere,
): Promise<T> {
  const after: (() => void)[] = []
  return hearth.writer
    .write(() => {
      after.length = 0
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
          if (++depth > MOST_NESTED_EVENTS)
            throw new Error(`events go round in a circle at ${type.type}`)
          for (const { run: react } of hearth.reactionsTo(type.type)) react(tx, row)
          depth--
          after.push(() => hearth.published(row))
          return row
        },
        signal(type, data) {
          for (const { run: follow } of hearth.followersOf(type.signal)) follow(tx, data)
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
          after.push(() => hearth.jobs.wake())
          return id
        },
        afterCommit: (callback) => void after.push(callback),
      }
      return run(tx) as T
    })
    .then((result) => {
      for (const callback of after) callback()
      return result
    })
}
