/** A runner reports the state of a task: its steps, its outputs, and in the end its result. */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { writeAs } from '#core/write.ts'
import { reportStepsNow } from '#features/workflows/index.ts'
import type { ValueOf } from '#lib/protobuf.ts'
import {
  findJobOfTask,
  findTask,
  findTaskOfJob,
  setTaskResult,
  type JobOfTask,
  type TaskRow,
} from '../store-tasks.ts'
import { ConnectError, type Call } from './connect.ts'
import type { Result, UpdateTaskRequest, UpdateTaskResponse } from './messages.ts'
import { openTasks } from './open-tasks.ts'
import { requireCallingRunner } from './registration.ts'
import { closeTask, endTask } from './task-end.ts'
import { conclusionOf, keptOutputs, stepReports } from './task-steps.ts'

/** A task of the runner that calls, and its job while the task is the one that counts. */
export type CalledTask = { readonly task: TaskRow; readonly job: JobOfTask | null }

/** Throws ConnectError. */
export async function requireCalledTask(
  hearth: Hearth,
  http: ProtocolRequest,
  id: number,
): Promise<CalledTask> {
  const runner = await requireCallingRunner(hearth, http)
  return calledTask(hearth, runner.id, id)
}

/** Throws ConnectError. */
export function calledTask({ db }: Pick<Hearth, 'db'>, runner_id: string, id: number): CalledTask {
  const task = findTask(db, id)
  if (task?.runner_id !== runner_id)
    throw new ConnectError('not_found', `the task ${id} is not one of this runner`)
  const isLast = findTaskOfJob(db, task.job_id)?.id === id
  const job = isLast && task.closed === 0 ? findJobOfTask(db, task.job_id) : null
  return { task, job: job?.runner_id === runner_id ? job : null }
}

type Update = ValueOf<typeof UpdateTaskRequest>

async function apply(hearth: Hearth, { task, job }: CalledTask, message: Update): Promise<Result> {
  const sent = message.state?.result ?? 'RESULT_UNSPECIFIED'
  const stop = conclusionOf(sent) === null ? 'RESULT_CANCELLED' : sent
  if (job === null) return stop
  const open = await openTasks(hearth).find(task)
  if (job.status !== 'in_progress' || open === null) {
    // The server has ended the job, for example ten seconds after it was cancelled.
    if (conclusionOf(sent) !== null) await closeTask(hearth, task)
    return stop
  }
  const now = hearth.clock.now()
  const outputs = keptOutputs(
    JSON.parse(task.outputs) as Record<string, string>,
    message.outputs,
    open,
  )
  const steps = stepReports(open, message.state?.steps ?? [], { job: conclusionOf(sent), now })
  if (conclusionOf(sent) !== null && task.complete === 1) {
    await endTask(hearth, task, open, { result: sent, outputs, steps })
    return sent
  }
  await writeAs(hearth, null, (tx) => {
    reportStepsNow(tx, job.id, steps, null)
    const result = conclusionOf(sent) === null ? null : sent
    setTaskResult(tx, task.id, { outputs: JSON.stringify(outputs), result })
  })
  return job.cancel_requested === 1 ? 'RESULT_CANCELLED' : sent
}

export async function updateTask({
  hearth,
  http,
  message,
}: Call<Update, unknown>): Promise<ValueOf<typeof UpdateTaskResponse>> {
  const id = message.state?.id ?? 0
  const { task } = await requireCalledTask(hearth, http, id)
  return openTasks(hearth).serialize(id, async () => {
    const result = await apply(hearth, calledTask(hearth, task.runner_id, id), message)
    const state = { id, result, startedAt: null, stoppedAt: null, steps: [] }
    // Outputs that are not kept count as sent too; the runner would send them for ever.
    const known = Object.keys(JSON.parse(task.outputs) as object)
    return { state, sentOutputs: [...new Set([...known, ...Object.keys(message.outputs)])] }
  })
}
