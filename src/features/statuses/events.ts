/** Events of commit statuses. */
import { event } from '#core/events.ts'
import { OneOf, Type } from '#core/schema.ts'
import { STATES } from './schema.ts'

export const commitStatusSet = event(
  'commit.status',
  Type.Object({
    sha: Type.String(),
    context: Type.String(),
    state: OneOf(STATES),
    status: Type.String(),
  }),
  ({ sha, context, state }, by) => `${by} said ${state} of ${sha.slice(0, 7)} for ${context}`,
)
