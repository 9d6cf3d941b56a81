/** The event of a triage. */
import { event } from '#core/events.ts'
import { Type } from '#core/schema.ts'

export const issueTriaged = event(
  'issue.triaged',
  Type.Object({
    number: Type.Integer({ description: 'The issue.' }),
    proposals: Type.Integer({ description: 'How many proposals wait for a person.' }),
    applied: Type.Array(Type.String(), { description: 'Labels that were added by the model.' }),
  }),
  ({ number, proposals }) => `A model read issue #${number} and made ${proposals} proposals`,
)
