/** What other features may have to act upon, though it is no news for anybody. */
import { signal } from '#core/events.ts'
import { Type } from '#core/schema.ts'

/** A conversation on a line of a pull request was resolved, or opened again. */
export const conversationResolved = signal(
  'issues.conversation_resolved',
  Type.Object({ repo_id: Type.String(), number: Type.Integer() }),
)
