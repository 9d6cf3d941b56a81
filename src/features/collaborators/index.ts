/** Collaborators: roles that are given to people on one repository, and the invitations to it. */
import type { Feature } from '#core/hearth.ts'
import { endWithMembership } from './end-with-membership.ts'
import { events } from './events.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'collaborators',
  operations: Object.values(operations),
  events,
  reactions: endWithMembership,
}
