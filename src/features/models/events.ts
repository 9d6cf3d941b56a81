/** Internal events of models. They are not part of the timeline. */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** A program calls the same tools with the same results again and again. */
export const modelLoop = internalEvent(
  'models.loop',
  Type.Object({ actor_id: Type.String(), pull_id: Type.String() }),
)
