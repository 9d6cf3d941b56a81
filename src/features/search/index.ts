/** Search over everything that a caller can see. A leaf. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers } from '#features/repos/index.ts'
import { indexBranch } from './index-branch.ts'
import { followers, reactions } from './mark-changes.ts'
import { updateIndex, sweepSearch } from './update-index.ts'
import { removeRecordMarks } from './store-marks.ts'
import * as operations from './operations.ts'

export * from './schema.ts'
export type { SearchType } from './query.ts'
export * from './operations.ts'

export const feature: Feature = {
  name: 'search',
  operations: Object.values(operations),
  reactions,
  handlers: followers,
  jobs: [updateIndex, sweepSearch, indexBranch] as Job[],
  // After the issues' remover, because deleted comments leave marks.
  extensions: [repoDataRemovers.with(removeRecordMarks)],
}
