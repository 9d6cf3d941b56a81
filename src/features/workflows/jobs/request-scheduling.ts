/** Asks for the next decisions about a run: what its jobs may do now. */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'

export const schedulingRequested = internalEvent(
  'workflows.scheduling_requested',
  Type.Object({ run_id: Type.String() }),
)

export const requestScheduling = (tx: Tx, run_id: string): void =>
  tx.emit(schedulingRequested, { run_id })
