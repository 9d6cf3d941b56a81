/**
 * Commit statuses: what something outside says of a commit, under a name. Rules may ask for some of
 * them. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import { belongings, commitContexts } from '#features/repos/index.ts'
import { commitStatusSet } from './events.ts'
import { getCommitStatus } from './get-commit-status.ts'
import { setCommitStatus } from './set-commit-status.ts'
import { contextsOf } from './statuses.ts'
import { removeStatuses } from './store.ts'

export * from './schema.ts'
export { getCommitStatus, setCommitStatus }

export const feature: Feature = {
  name: 'statuses',
  operations: [setCommitStatus, getCommitStatus],
  events: [commitStatusSet],
  extensions: [commitContexts.with(contextsOf), belongings.with(removeStatuses)],
}
