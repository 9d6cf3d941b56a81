/** The event that tests a webhook. It is sent to that webhook only and is in no timeline. */
import { event } from '#core/events.ts'
import { Id, Type } from '#core/schema.ts'

export const ping = event(
  'ping',
  Type.Object({
    hook: Id('whk'),
    events: Type.Array(Type.String(), {
      description: 'What the webhook is told of; none means everything.',
    }),
  }),
  (_, by) => `${by} tried a webhook`,
)
