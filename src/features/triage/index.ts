/** Triage: what a model proposes for new issues, and what people make of it. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { issueTriaged } from './events.ts'
import * as operations from './operations.ts'
import { triageNewIssues } from './queue-triage.ts'
import { removeTriagesOfRepo } from './store.ts'
import { triageByModel } from './triage-by-model.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'triage',
  operations: Object.values(operations),
  events: [issueTriaged],
  reactions: [triageNewIssues],
  jobs: [triageByModel] as Job[],
  extensions: [repoDataRemovers.with(removeTriagesOfRepo)],
}
