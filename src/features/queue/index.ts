/**
 * The merge queue: pull requests land one after the other, each as the very commit that was tested
 * on top of those ahead. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { mergeQueues } from '#features/pulls/index.ts'
import { repoDataRemovers, retainedCommits } from '#features/repos/index.ts'
import { mergeQueue } from './merge-queue.ts'
import { events } from './events.ts'
import { reactions, sweepQueues } from './reactions.ts'
import { retainedCandidates, removeEntries } from './store.ts'
import { endGates, endTests, followChecks, followGates } from './candidate-tests.ts'
import { advanceQueue, enqueueAdvance, wakeQueue } from './queue-jobs.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export { hasQueue } from './queue-settings.ts'

export const feature: Feature = {
  name: 'queue',
  operations: Object.values(operations),
  events,
  reactions,
  handlers: [followChecks, followGates, enqueueAdvance],
  jobs: [advanceQueue, wakeQueue, endTests, endGates, sweepQueues] as Job[],
  extensions: [
    mergeQueues.with(mergeQueue),
    retainedCommits.with(retainedCandidates),
    repoDataRemovers.with(removeEntries),
  ],
}
