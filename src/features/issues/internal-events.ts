/** Internal events of issues. They are not part of the timeline. */
import { internalEvent } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** A thread on a line of a pull request was resolved or unresolved. */
export const conversationResolved = internalEvent(
  'issues.conversation_resolved',
  Type.Object({ repo_id: Type.String(), number: Type.Integer() }),
)
