/**
 * Asks for a queue to be advanced. The request is an internal event, because the job that advances
 * a queue imports most of this feature.
 */
import { internalEvent } from '#core/events.ts'
import { Nullable, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import type { QueueKey } from './store.ts'

export const advanceRequested = internalEvent(
  'queue.advance_requested',
  Type.Object({
    repo_id: Type.String(),
    base_ref: Type.String(),
    /** Unix time in milliseconds; null for at once. */
    at_ms: Nullable(Type.Number()),
  }),
)

/** Advances a queue as soon as this transaction is on disk. */
export const advanceSoon = (tx: Tx, { repo_id, base_ref }: QueueKey): void =>
  tx.emit(advanceRequested, { repo_id, base_ref, at_ms: null })

/** Advances a queue at a later time. */
export const advanceAt = (tx: Tx, { repo_id, base_ref }: QueueKey, at_ms: number): void =>
  tx.emit(advanceRequested, { repo_id, base_ref, at_ms })
