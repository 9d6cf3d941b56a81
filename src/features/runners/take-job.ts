/**
 * Takes a job of a workflow from the queue and runs it. One of these jobs is a slot of the runner:
 * before it runs a job, it adds the next one, which finds another job or ends.
 */
import { hasDiskSpace } from '#core/disk-space.ts'
import { handler } from '#core/events.ts'
import { job, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { isolationOf } from '#features/checks/index.ts'
import {
  endInterruptedHere,
  explainQueued,
  jobsQueued,
  takeQueuedJob,
} from '#features/workflows/index.ts'
import type { Isolation } from '#runner'
import { acceptsElsewhere } from './external-runner.ts'
import { localRunner } from './local-runner.ts'
import { runTakenJob } from './run-taken-job.ts'

const KEY = 'next'

/** Why this machine does not run a job; null when it does. */
function whyNot(isolation: Isolation, isTrusted: boolean): string | null {
  if (isolation.kind === 'missing')
    return `This machine cannot isolate jobs, and no other runner has their labels: ${isolation.reason}`
  return isolation.kind === 'none' && !isTrusted
    ? 'This machine does not isolate jobs, so it runs none for changes by people without Write'
    : null
}

export const takeJob: Job<null> = job<null>({
  kind: 'take_job',
  queue: 'commands',
  retry: [],
  // Finds what an earlier process left in the queue.
  every: '1m',
  run: async ({ hearth, signal }) => {
    // While the disk is full jobs wait: what they leave has no room.
    if (!hearth.settings.jobs.local || !hasDiskSpace(hearth)) return
    await endInterruptedHere(hearth)
    const isolation = await isolationOf(hearth)
    const runner = localRunner(hearth, isolation)
    const taken = isolation.kind === 'missing' ? null : await takeQueuedJob(hearth, runner)
    if (!taken) {
      // A machine that isolates jobs runs all that it accepts, so there is nothing to explain.
      if (isolation.kind === 'bubblewrap') return
      return explainQueued(hearth, runner, (queued, isTrusted) =>
        acceptsElsewhere(hearth, JSON.parse(queued.labels) as string[], queued)
          ? null
          : whyNot(isolation, isTrusted),
      )
    }
    await writeAs(hearth, null, (tx) => void tx.enqueue(takeJob, null, { key: KEY }))
    await runTakenJob(hearth, taken, signal)
    if (signal.aborted) throw new Error('the process is stopping')
  },
})

export const takeQueued = handler(
  'jobs of workflows are taken',
  jobsQueued,
  (tx) => void (tx.hearth.settings.jobs.local && tx.enqueue(takeJob, null, { key: KEY })),
)
