import type { Feature } from '#core/hearth.ts'
import { endApplicationsWithAccess } from './applications.ts'
import { sweepApplications } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export type { Application, AuthorizationParameters } from './schema.ts'
export { authorizationParameters } from './schema.ts'

/** OAuth 2.1 for public clients: applications that request access to accounts. */
export const feature: Feature = {
  name: 'oauth',
  operations: Object.values(operations),
  handlers: [endApplicationsWithAccess],
  jobs: [sweepApplications],
}
