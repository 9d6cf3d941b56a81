/** Events of the merge queue, part of the public interface. */
import { event } from '#core/events.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { QUEUE_STATES } from './schema.ts'

export const queueChanged = event(
  'queue.changed',
  Type.Object({
    number: Type.Integer({ description: 'The pull request.' }),
    entry: Type.String({
      description: 'Its entry, the same from coming in to landing or leaving.',
    }),
    state: OneOf(QUEUE_STATES),
    reason: Nullable(Type.String({ description: 'Why it left.' })),
    position: Nullable(Type.Integer({ description: 'From 1; null once it has landed or left.' })),
  }),
  ({ number, state, reason, position }, by) => {
    if (state === 'landed') return `pull request #${number} landed through the merge queue`
    if (state === 'failed' || state === 'removed')
      return `pull request #${number} left the merge queue${reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`}`
    if (state === 'queued')
      return `${by} put pull request #${number} at position ${position} of the merge queue`
    return `pull request #${number} is ${state === 'passed' ? 'tested' : state === 'testing' ? 'being tested' : 'landing'} in the merge queue`
  },
)

export const events = [queueChanged]
