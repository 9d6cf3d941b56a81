/**
 * Commit statuses: states that external services report on a commit, by context. Rules may require
 * them. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import { repoDataRemovers, commitContexts } from '#features/repos/index.ts'
import { commitStatusSet } from './events.ts'
import { contextsOf } from './status-record.ts'
import { removeStatuses } from './store.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'statuses',
  operations: Object.values(operations),
  events: [commitStatusSet],
  extensions: [commitContexts.with(contextsOf), repoDataRemovers.with(removeStatuses)],
}
