/**
 * The merge queue: pull requests land one after the other, each as the very commit that was tested
 * on top of those before it. A leaf.
 */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { landingPlaces, pagesOfPulls } from '#features/pulls/index.ts'
import { belongings, keptCommits } from '#features/repos/index.ts'
import { mergeQueue } from './enter.ts'
import { events } from './events.ts'
import { reactions, sweepQueues } from './follow.ts'
import { getMergeQueue } from './get-merge-queue.ts'
import { leaveMergeQueue } from './leave-merge-queue.ts'
import { moveInMergeQueue } from './move-in-merge-queue.ts'
import { pauseMergeQueue } from './pause-merge-queue.ts'
import { resumeMergeQueue } from './resume-merge-queue.ts'
import { keepWaiting, keptCandidates, removeEntries } from './store.ts'
import { endTests, followChecks } from './tests.ts'
import { driveQueue, wakeQueue } from './wake.ts'

export * from './schema.ts'
export { queueChanged } from './events.ts'
export { hasQueue } from './limits.ts'
export { getMergeQueue, leaveMergeQueue, moveInMergeQueue, pauseMergeQueue, resumeMergeQueue }

export const feature: Feature = {
  name: 'queue',
  operations: [getMergeQueue, leaveMergeQueue, moveInMergeQueue, pauseMergeQueue, resumeMergeQueue],
  events,
  reactions,
  followers: [followChecks],
  jobs: [driveQueue, wakeQueue, endTests, sweepQueues] as Job[],
  extensions: [
    landingPlaces.with(mergeQueue),
    pagesOfPulls.with((db, repo_id, pulls) =>
      keepWaiting(
        db,
        repo_id,
        pulls.map(({ number }) => number),
      ),
    ),
    keptCommits.with(keptCandidates),
    belongings.with(removeEntries),
  ],
}
