/**
 * Takes a job of a workflow from the queue and runs it. One of these jobs is a slot of the runner:
 * before it runs a job, it adds the next one, which finds another job or ends.
 */
import { handler } from '#core/events.ts'
import { job, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { isolationOf } from '#features/checks/index.ts'
import { jobsQueued, takeQueuedJob } from '#features/workflows/index.ts'
import { localRunner } from './local-runner.ts'
import { runTakenJob } from './run-taken-job.ts'

const KEY = 'next'

export const takeJob: Job<null> = job<null>({
  kind: 'take_job',
  queue: 'commands',
  retry: [],
  // Finds what an earlier process left in the queue.
  every: '1m',
  run: async ({ hearth, signal }) => {
    if (!hearth.settings.jobs.local) return
    const isolation = await isolationOf(hearth)
    // Jobs wait in the queue; the log said at the start what is missing.
    if (isolation.kind === 'missing') return
    const taken = await takeQueuedJob(hearth, localRunner(hearth, isolation))
    if (!taken) return
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
