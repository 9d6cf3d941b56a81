/** Integrations: services that a workspace uses, with their addresses and secrets. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { checkIntegrations } from './check-integrations.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export {
  jiraAuthorization,
  LINEAR_URL,
  SENTRY_URL,
  type ModelProviderConfig,
  type ProviderModel,
} from './catalogue.ts'
export { modelSpeed } from './extension-points.ts'
export { integrationRemoved } from './events.ts'
export { auditIntegration, configOf } from './integration-record.ts'
export { addressBelow, integrationClient, modelEndpoint, type Wire } from './outbound.ts'
export { readSecret } from './secret.ts'
export { errorAddress, fetchStackTrace } from './fetch-stack-trace.ts'
export { readStackTrace, type StackTrace } from './stack-trace.ts'
export { locateStackTrace, type LocatedTrace } from './locate-stack-trace.ts'
export {
  findIntegration,
  listEnabledIntegrations,
  setChecked,
  type IntegrationRow,
} from './store.ts'
export { modelHeaders, wireOf } from './test-connection.ts'

export const feature: Feature = {
  name: 'integrations',
  operations: Object.values(operations),
  jobs: [checkIntegrations] as Job[],
}
