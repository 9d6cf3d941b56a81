/**
 * Environments that jobs deploy to, with their protection, and the records of deployments. A leaf
 * after workflows, whose jobs pass its gate.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { jobGates } from '#features/workflows/index.ts'
import { events } from './events.ts'
import * as operations from './operations.ts'
import { beginDeployment, environmentGate, followHolds, followJobs } from './protection.ts'
import { removeDeploymentsOfRepo } from './store.ts'
import { sweepDeployments } from './sweep.ts'

export * from './operations.ts'
export * from './schema.ts'
export { reviewOffer } from './may-review.ts'

export const feature: Feature = {
  name: 'environments',
  operations: Object.values(operations),
  events,
  handlers: [followJobs, followHolds],
  jobs: [beginDeployment, sweepDeployments] as Job[],
  extensions: [jobGates.with(environmentGate), repoDataRemovers.with(removeDeploymentsOfRepo)],
}
