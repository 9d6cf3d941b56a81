/** What surrounds a repository: tickets of other services. A leaf after integrations. */
import type { Feature } from '#core/hearth.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'context',
  operations: Object.values(operations),
}
