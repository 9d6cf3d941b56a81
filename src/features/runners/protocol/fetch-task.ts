/** Gives a runner its next job. The answer waits for one as long as the runner does. */
import { hasDiskSpace } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { ExpressionFault } from '#actions'
import {
  finishJob,
  requeueUndeliveredJob,
  takeQueuedJob,
  type JobToRun,
} from '#features/workflows/index.ts'
import type { ValueOf } from '#lib/protobuf.ts'
import { SECOND } from '#lib/time.ts'
import { externalRunner } from '../external-runner.ts'
import { findRunner } from '../store-runners.ts'
import { findTaskOfJob } from '../store-tasks.ts'
import type { Call } from './connect.ts'
import type { FetchTaskRequest, FetchTaskResponse, Task } from './messages.ts'
import { openTasks } from './open-tasks.ts'
import { queueWatch } from './queue-watch.ts'
import { requireCallingRunner } from './registration.ts'
import { taskMessage } from './task-message.ts'
import { requeueUnacknowledgedTasks } from './unacknowledged-tasks.ts'

/** Of a runner that does not say how long it waits; its programs give up after five seconds. */
const DEFAULT_WAIT_MS = 4 * SECOND
/** Proxies close connections on which nothing is sent for a minute. */
const MAX_WAIT_MS = 50 * SECOND
const TRAVEL_MS = SECOND

/** How long the runner waits for this answer, without the time on its way. */
function patienceOf({ request }: ProtocolRequest): number {
  const sent = request.headers.get('connect-timeout-ms')
  const ms = sent !== null && /^\d{1,10}$/.test(sent) ? Number(sent) - TRAVEL_MS : DEFAULT_WAIT_MS
  return Math.max(0, Math.min(ms, MAX_WAIT_MS))
}

const MAX_KEY_CHARS = 100

/** Forgejo's runners send the same key until they get an answer. */
const requestKeyOf = ({ request }: ProtocolRequest): string | null =>
  request.headers.get('x-runner-request-key')?.slice(0, MAX_KEY_CHARS) ?? null

/** The task of a job that was taken. Null when the job cannot be sent; it has failed then. */
async function handOver(hearth: Hearth, job: JobToRun): Promise<Task | null> {
  const row = findTaskOfJob(hearth.db, job.id)
  let reason = 'The job with its inputs is too large for a runner'
  try {
    const task = row && taskMessage(hearth, row.id, job)
    if (task) {
      openTasks(hearth).begin(row, job)
      return task
    }
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    reason = error.message
  }
  await finishJob(hearth, job.id, { conclusion: 'failure', reason, outputs: {} })
  return null
}

/** The next job of a runner that can be sent; null when there is none. */
async function nextTask(
  hearth: Hearth,
  runner_id: string,
  request_key: string | null,
  signal: AbortSignal,
): Promise<Task | null> {
  for (;;) {
    // It may have been removed while it waited.
    const runner = findRunner(hearth.db, runner_id)
    if (!runner) return null
    const job = await takeQueuedJob(hearth, externalRunner(runner, request_key))
    if (!job) return null
    if (signal.aborted) {
      await requeueUndeliveredJob(hearth, job.id)
      return null
    }
    const task = await handOver(hearth, job)
    if (task) return task
  }
}

export async function fetchTask({
  hearth,
  http,
}: Call<ValueOf<typeof FetchTaskRequest>, unknown>): Promise<ValueOf<typeof FetchTaskResponse>> {
  const { id } = await requireCallingRunner(hearth, http)
  const key = requestKeyOf(http)
  await requeueUnacknowledgedTasks(hearth, id, key)
  const watch = queueWatch(hearth)
  const { signal } = http.request
  const until = performance.now() + patienceOf(http)
  // While the disk is full jobs wait: what they leave has no room.
  const mayTake = (): boolean => !hearth.draining.aborted && hasDiskSpace(hearth)
  for (;;) {
    const { version } = watch
    const task = mayTake() ? await nextTask(hearth, id, key, signal) : null
    if (task) return { task, tasksVersion: version }
    http.wait()
    http.keepOpen()
    const hasNews = await watch.wait(id, version, until - performance.now(), signal)
    if (!hasNews || hearth.draining.aborted) return { task: null, tasksVersion: version }
  }
}
