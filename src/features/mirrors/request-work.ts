/**
 * Asks for a sync or a hand-back. The request is an internal event, because the jobs import most of
 * this feature.
 */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'

export const syncRequested = internalEvent(
  'mirrors.sync_requested',
  Type.Object({
    id: Type.String(),
    /** Whether an administrator asked, who accepts that the remote lost its refs. */
    accept: Type.Boolean(),
    delay_ms: Type.Number(),
  }),
)

export const handBackRequested = internalEvent(
  'mirrors.hand_back_requested',
  Type.Object({
    id: Type.String(),
    /** Whether the hand-back begins by itself, once its plan has no conflict. */
    automatic: Type.Boolean(),
  }),
)

export const requestSync = (
  tx: Tx,
  id: string,
  { accept = false, delay_ms = 0 }: { accept?: boolean; delay_ms?: number } = {},
): void => tx.emit(syncRequested, { id, accept, delay_ms })

export const requestHandBack = (tx: Tx, id: string, automatic: boolean): void =>
  tx.emit(handBackRequested, { id, automatic })
