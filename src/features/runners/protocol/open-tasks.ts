/** Tasks whose runners send logs and states: their logs, names of steps, one call at a time. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { interpolate, strategyContext, type Step } from '#actions'
import { runtimeToken, takenJob, type JobToRun } from '#features/workflows/index.ts'
import { logPath } from '../job-logs.ts'
import { findJobOfTask, type TaskRow } from '../store-tasks.ts'
import { openMasks } from '../task-masks.ts'
import { TaskLog, type LogStart, type Place } from './task-log.ts'

export type OpenTask = {
  readonly log: TaskLog
  /** The names of the steps in their order. */
  readonly steps: readonly string[]
}

class OpenTasks {
  readonly #tasks = new Map<number, OpenTask>()
  readonly #turns = new Map<number, Promise<unknown>>()

  constructor(private readonly hearth: Hearth) {}

  /** Runs after the calls before it about the same task. */
  async serialize<T>(id: number, run: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id) ?? Promise.resolve()
    const mine = before.then(run, run)
    const settled = mine.then(
      () => {},
      () => {},
    )
    this.#turns.set(id, settled)
    try {
      return await mine
    } finally {
      if (this.#turns.get(id) === settled) this.#turns.delete(id)
    }
  }

  /** Begins with a task that is handed over now. */
  begin(task: TaskRow, job: JobToRun): void {
    this.#open(task, job)
  }

  /** The open task; null when its job has ended while this process did not run. */
  async find(task: TaskRow): Promise<OpenTask | null> {
    const open = this.#tasks.get(task.id)
    if (open) return open
    const job = await takenJob(this.hearth, task.job_id)
    return job && this.#open(task, job)
  }

  /** Forgets a task: the next call about it begins with what is stored. */
  drop(id: number): void {
    this.#tasks.get(id)?.log.close()
    this.#tasks.delete(id)
  }

  close(): void {
    for (const id of this.#tasks.keys()) this.drop(id)
  }

  #open(task: TaskRow, job: JobToRun): OpenTask {
    this.drop(task.id)
    const { hearth } = this
    const stored = findJobOfTask(hearth.db, task.job_id)
    const token = runtimeToken(hearth, task.job_id)
    const start: LogStart = {
      path: logPath(hearth, { repo_id: job.repo.id, id: job.id }),
      lines: stored?.log_lines ?? 0,
      bytes: stored?.log_bytes ?? 0,
      rows: task.rows,
      places: JSON.parse(task.places) as Place[],
      annotations: JSON.parse(task.annotations) as LogStart['annotations'],
      masks: [...openMasks(hearth, task), ...(token === null ? [] : [token])],
    }
    const open: OpenTask = {
      log: new TaskLog(start, job, () => hearth.clock.now()),
      steps: job.plan.steps.map((step) => nameOf(step, job)),
    }
    this.#tasks.set(task.id, open)
    return open
  }
}

const MAX_NAME_CHARS = 200

/** The name of a step as far as it is known here: without secrets and results of other steps. */
function nameOf(step: Step, { contexts, plan }: JobToRun): string {
  if (typeof step.name !== 'string')
    return step.kind === 'uses'
      ? `Run ${step.uses}`
      : `Run ${step.run.trim().split('\n', 1)[0] ?? ''}`.slice(0, MAX_NAME_CHARS)
  try {
    const known = { ...contexts, matrix: contexts.matrix ?? {}, strategy: strategyContext(plan) }
    return interpolate(step.name, { contexts: known })
  } catch {
    return step.name
  }
}

export const openTasks = service('tasks of runners', (hearth) => new OpenTasks(hearth), {
  close: (tasks) => tasks.close(),
})
