/** Variables and secrets of workspaces and repositories, for jobs of workflows. A leaf. */
import type { Feature } from '#core/hearth.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { openSecrets, secretNamesFor, variablesFor } from './job-settings.ts'

export const feature: Feature = {
  name: 'variables',
  operations: Object.values(operations),
}
