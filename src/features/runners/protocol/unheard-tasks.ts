/**
 * Tasks whose answer was lost on its way to the runner. A runner that asks again with the key of an
 * earlier request did not get its answer. Runners without keys ask one request after the other, and
 * report a task within some seconds: one of which nothing was heard for longer did not arrive. Its
 * job had no effect, so it goes back to the queue at once, whatever it may do.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { giveBackUnheardNow } from '#features/workflows/index.ts'
import { SECOND, timestamp } from '#lib/time.ts'
import { listUnheardTasks, removeTask, type TaskRow } from '../store-tasks.ts'
import { openTasks } from './open-tasks.ts'

/** Longer than any runner takes for its first report (5 seconds), shorter than the lease of a job. */
const UNHEARD_MS = 15 * SECOND

/** Gives back the jobs of a runner that it never heard of. `key` is that of its request now. */
export async function takeBackUnheard(
  hearth: Hearth,
  runner_id: string,
  key: string | null,
): Promise<void> {
  const before = timestamp(hearth.clock.now() - UNHEARD_MS)
  const isLost = ({ request_key, reported_at }: TaskRow): boolean =>
    request_key === null ? reported_at < before : request_key === key
  const lost = listUnheardTasks(hearth.db, runner_id).filter(isLost)
  for (const { id } of lost)
    await openTasks(hearth).serialize(id, async () => {
      const isGone = await writeAs(hearth, null, (tx) => {
        // It may have been heard of meanwhile.
        const task = listUnheardTasks(tx.db, runner_id).find((one) => one.id === id)
        if (!task) return false
        removeTask(tx, id)
        giveBackUnheardNow(tx, task.job_id)
        return true
      })
      if (isGone) openTasks(hearth).drop(id)
    })
}
