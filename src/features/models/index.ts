/** Models: which model does which task. */
import type { Feature } from '#core/hearth.ts'
import * as operations from './operations.ts'
import { forgetIntegration } from './routes.ts'

export * from './operations.ts'
export * from './schema.ts'
export { requireRoute } from './routes.ts'
export { findRoute, type RouteRow } from './store-routes.ts'

export const feature: Feature = {
  name: 'models',
  operations: Object.values(operations),
  handlers: [forgetIntegration],
}
