/**
 * Security findings: alerts of scanners, dependencies with known vulnerabilities, private reports
 * and advisories, and the teams that work on them. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import { events } from './events.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { isSecurityManager } from './managers/store.ts'

export const feature: Feature = {
  name: 'security',
  operations: Object.values(operations),
  events,
}
