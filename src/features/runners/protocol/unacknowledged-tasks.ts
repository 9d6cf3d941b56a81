/**
 * Tasks whose answer was lost on its way to the runner. A runner that asks again with the key of an
 * earlier request did not get its answer. Runners without keys ask one request after the other, and
 * report a task within some seconds: one of which nothing was heard for longer did not arrive. Its
 * job had no effect, so it goes back to the queue at once, whatever it may do.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { requeueUnacknowledgedJob } from '#features/workflows/index.ts'
import { SECOND, timestamp } from '#lib/time.ts'
import { listUnacknowledgedTasks, removeTask, type TaskRow } from '../store-tasks.ts'
import { openTasks } from './open-tasks.ts'

/** Longer than any runner takes for its first report (5 seconds), shorter than the lease of a job. */
const MAX_ACKNOWLEDGEMENT_MS = 15 * SECOND

/**
 * Requeues the jobs of tasks that the runner never received. `key` identifies the present request of
 * the runner; null for a runner that sends none.
 */
export async function requeueUnacknowledgedTasks(
  hearth: Hearth,
  runner_id: string,
  key: string | null,
): Promise<void> {
  const before = timestamp(hearth.clock.now() - MAX_ACKNOWLEDGEMENT_MS)
  const isLost = ({ request_key, reported_at }: TaskRow): boolean =>
    request_key === null ? reported_at < before : request_key === key
  const lost = listUnacknowledgedTasks(hearth.db, runner_id).filter(isLost)
  for (const { id } of lost)
    await openTasks(hearth).serialize(id, async () => {
      const isGone = await writeAs(hearth, null, (tx) => {
        // It may have been heard of meanwhile.
        const task = listUnacknowledgedTasks(tx.db, runner_id).find((one) => one.id === id)
        if (!task) return false
        removeTask(tx, id)
        requeueUnacknowledgedJob(tx, task.job_id)
        return true
      })
      if (isGone) openTasks(hearth).drop(id)
    })
}
