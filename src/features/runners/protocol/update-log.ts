/** A runner sends rows of a log. Rows that are known already are left out. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { reportStepsNow } from '#features/workflows/index.ts'
import type { ValueOf } from '#lib/protobuf.ts'
import { setTaskLog, setTaskMasks } from '../store-tasks.ts'
import { sealMasks } from '../task-masks.ts'
import type { Call } from './connect.ts'
import type { UpdateLogRequest, UpdateLogResponse } from './messages.ts'
import { openTasks } from './open-tasks.ts'
import { closeTask } from './task-end.ts'
import { calledTask, requireCalledTask, type CalledTask } from './update-task.ts'

type Update = ValueOf<typeof UpdateLogRequest>

/** Returns the number of rows that are stored now. */
async function append(hearth: Hearth, called: CalledTask, message: Update): Promise<number> {
  const { task, job } = called
  const end = message.index + message.rows.length
  const tasks = openTasks(hearth)
  const open = job && (await tasks.find(task))
  // Nobody reads them any more: the runner may forget them.
  if (!job || !open) return Math.max(end, task.rows)
  if (message.index > task.rows) return task.rows
  const { size } = open.log.masks
  try {
    await open.log.append(message.rows.slice(task.rows - message.index), hearth.clock.now())
    await writeAs(hearth, null, (tx) => {
      const { bytes, lines } = open.log
      reportStepsNow(tx, job.id, [], { bytes, lines, state: 'live' })
      setTaskLog(tx, task.id, {
        rows: open.log.rows,
        complete: message.noMore || task.complete === 1 ? 1 : 0,
        places: JSON.stringify(open.log.places),
        annotations: JSON.stringify(open.log.annotations),
      })
      if (open.log.masks.size > size)
        setTaskMasks(tx, task.id, sealMasks(hearth, job.id, [...open.log.masks]))
    })
  } catch (error) {
    // The file may hold more than the row says: the next call begins with what the row says.
    tasks.drop(task.id)
    throw error
  }
  const { rows } = open.log
  if (message.noMore && job.status !== 'in_progress') await closeTask(hearth, task)
  return rows
}

export async function updateLog({
  hearth,
  http,
  message,
}: Call<Update, unknown>): Promise<ValueOf<typeof UpdateLogResponse>> {
  const { task } = await requireCalledTask(hearth, http, message.taskId)
  return openTasks(hearth).serialize(message.taskId, async () => ({
    ackIndex: await append(hearth, calledTask(hearth, task.runner_id, task.id), message),
  }))
}
