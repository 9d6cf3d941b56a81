/** Internal events of integrations. They are not part of the timeline. */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** An integration is about to be deleted. What uses it lets go of it in the same transaction. */
export const integrationRemoved = internalEvent(
  'integrations.removed',
  Type.Object({ id: Type.String(), workspace_id: Type.String() }),
)
