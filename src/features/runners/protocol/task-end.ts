/** The end of tasks: as the runner says, or because it says nothing any more. */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { finishJobNow, reportStepsNow, type StepReport } from '#features/workflows/index.ts'
import { MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { packJobLog } from '../job-logs.ts'
import { findRunner, removeRunnerRow } from '../store-runners.ts'
import {
  findJobOfTask,
  listAbandonedTasks,
  listUnfinishedTasks,
  setTaskClosed,
  type TaskRow,
} from '../store-tasks.ts'
import type { Result } from './messages.ts'
import { openTasks, type OpenTask } from './open-tasks.ts'
import { annotationsOf, conclusionOf } from './task-steps.ts'

/** Nothing more is taken of a task. A runner for one job goes with it. */
function closeTaskNow(tx: Tx, task: TaskRow): void {
  setTaskClosed(tx, task.id)
  if (findRunner(tx.db, task.runner_id)?.ephemeral === 1) removeRunnerRow(tx, task.runner_id)
}

const logReport = ({ log }: OpenTask) => ({
  bytes: log.bytes,
  lines: log.lines,
  state: 'packed' as const,
})

async function packLog(hearth: Hearth, task: TaskRow): Promise<void> {
  const found = findJobOfTask(hearth.db, task.job_id)
  openTasks(hearth).drop(task.id)
  if (found) await packJobLog(hearth, found, found.log_lines)
}

export type TaskEnd = {
  readonly result: Result
  readonly outputs: Readonly<Record<string, string>>
  readonly steps: readonly StepReport[]
}

/** Ends the job of a task, and closes the task. */
export async function endTask(
  hearth: Hearth,
  task: TaskRow,
  open: OpenTask,
  { result, outputs, steps }: TaskEnd,
): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    const isCancelled = findJobOfTask(tx.db, task.job_id)?.cancel_requested === 1
    finishJobNow(tx, task.job_id, {
      conclusion: isCancelled ? 'cancelled' : (conclusionOf(result) ?? 'failure'),
      reason: null,
      outputs,
      steps,
      annotations: annotationsOf(open.log.annotations, steps),
      log: logReport(open),
    })
    closeTaskNow(tx, task)
  })
  await packLog(hearth, task)
}

/** Closes the task of a job that has ended without it. */
export async function closeTask(hearth: Hearth, task: TaskRow): Promise<void> {
  const open = await openTasks(hearth).find(task)
  await writeAs(hearth, null, (tx) => {
    if (open) reportStepsNow(tx, task.job_id, [], logReport(open))
    closeTaskNow(tx, task)
  })
  await packLog(hearth, task)
}

const BATCH = 200
/** Longer than runners take for their last reports, shorter than the lease of a job. */
const RESULT_GRACE_MS = 40 * SECOND
const ABANDONED_AFTER_MS = 2 * MINUTE

/** Ends jobs whose result is known, and closes tasks that nobody reports any more. */
export const closeTasks = job<null>({
  kind: 'close_runner_tasks',
  every: '30s',
  run: async ({ hearth }) => {
    const { db, clock } = hearth
    const tasks = openTasks(hearth)
    const since = (ms: number) => timestamp(clock.now() - ms)
    for (const task of listUnfinishedTasks(db, since(RESULT_GRACE_MS), BATCH))
      await tasks.serialize(task.id, async () => {
        const open = await tasks.find(task)
        const result = task.result as Result
        const outputs = JSON.parse(task.outputs) as Record<string, string>
        if (open) await endTask(hearth, task, open, { result, outputs, steps: [] })
      })
    for (const task of listAbandonedTasks(db, since(ABANDONED_AFTER_MS), BATCH))
      await tasks.serialize(task.id, () => closeTask(hearth, task))
  },
})
