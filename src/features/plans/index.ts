/** Plans: issues that are proposed for a brief, with their order. A leaf after models. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import * as operations from './operations.ts'
import { planByModel } from './planner.ts'
import { startPlannedIssue, startUnblocked } from './start-issues.ts'
import { removePlansOfRepo } from './store.ts'

export * from './operations.ts'
export * from './schema.ts'
export { depthsOf } from './plan-issues.ts'

export const feature: Feature = {
  name: 'plans',
  operations: Object.values(operations),
  reactions: [startUnblocked],
  jobs: [planByModel, startPlannedIssue] as Job[],
  extensions: [repoDataRemovers.with(removePlansOfRepo)],
}
