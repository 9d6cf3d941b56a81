/**
 * The state of a run as decisions see it (`decide.ts`), and the decisions. Rows in a database and
 * the memory of `hearth run` are both mapped to these types.
 */
import type { JsonObject } from './json.ts'
import type { Permissions, RunDefaults, Step, Template, Workflow } from './model.ts'

export type JobConclusion = 'success' | 'failure' | 'cancelled' | 'skipped' | 'timed_out'
export type RunConclusion = JobConclusion | 'startup_failure'

/**
 * - `pending`: waits for jobs that it needs, or for a place under `max-parallel`.
 * - `started`: was told to start (`start`); the scheduler queues it, or lets it wait for an
 *   environment, a concurrency group or a runner.
 * - `running`: a runner has it; a caller is running while its callee's jobs are.
 */
export type JobStatus = 'pending' | 'started' | 'running' | 'completed'

export type JobState = {
  /** Unique within the attempt: `build`, `build (1.22, linux)`, `deploy / test`. */
  readonly key: string
  /** The key of the job that called the workflow of this one; null in the run's own file. */
  readonly parent: string | null
  /** The id of the job in its file. */
  readonly jobId: string
  /** Null until the job is expanded: its matrix is not known before its needs have ended. */
  readonly plan: JobPlan | null
  readonly status: JobStatus
  readonly conclusion: JobConclusion | null
  /** Whether a `cancel` decision was made for it. */
  readonly cancelRequested: boolean
  readonly outputs: Readonly<Record<string, string>>
  /** Whether it was told to start and waits for a concurrency group or an environment. */
  readonly isHeld?: boolean
  /** Counts the ends of the attempt, so that the last of a matrix wins with its outputs. */
  readonly endedAs: number | null
}

/** What is resolved when a job is expanded. Holds no secret and no value of one. */
export type JobPlan = {
  readonly name: string
  readonly matrix: JsonObject | null
  readonly strategy: {
    readonly failFast: boolean
    readonly maxParallel: number
    readonly index: number
    readonly total: number
  }
  /** What the token of the job may do, after the cut by the callers; null: the default (read). */
  readonly permissions: Permissions | null
  readonly concurrency: Concurrency | null
  /** The `inputs` context of the file of the job. */
  readonly inputs: JsonObject
} & (StepsPlan | CallPlan)

export type StepsPlan = {
  readonly kind: 'steps'
  readonly runsOn: readonly string[]
  readonly environment: { readonly name: string; readonly url: Template } | null
  readonly timeoutMinutes: number
  readonly continueOnError: boolean
  /** The mappings of the workflow and of the job, the later wins; evaluated with secrets. */
  readonly env: readonly Template[]
  /** Of the job, then of the workflow: the first that is not null wins. */
  readonly defaults: readonly RunDefaults[]
  readonly container: Template
  readonly services: Template
  readonly steps: readonly Step[]
  readonly outputs: Readonly<Record<string, Template>>
  /** Names of secrets that expressions of the job name; `all` when it reads `secrets` whole. */
  readonly secrets: readonly string[] | 'all'
}

export type CallPlan = {
  readonly kind: 'call'
  readonly uses: string
  /** The inputs for the callee, evaluated, before its defaults and types. */
  readonly with: JsonObject
  readonly secrets: 'inherit' | JsonObject
}

export type Concurrency = {
  readonly group: string
  readonly cancelInProgress: boolean
  /** `max` keeps every waiting run; `single` keeps the newest only, as GitHub does by default. */
  readonly queue: 'single' | 'max'
}

/** Everything that decisions depend on. */
export type RunState = {
  readonly workflow: Workflow
  /** The called workflows by the key of the caller's job. */
  readonly callees: Readonly<Record<string, Workflow>>
  readonly jobs: readonly JobState[]
  /** The contexts `github`, `inputs` and `vars`. */
  readonly github: JsonObject
  readonly inputs: JsonObject
  readonly vars: JsonObject
  /** Whether somebody cancelled the run. */
  readonly cancelled: boolean
}

export type Decision =
  /** The job is one or more jobs now; each is pending and has a plan. Replaces the row `key`. */
  | { readonly kind: 'expand'; readonly key: string; readonly into: readonly JobState[] }
  /** The job may run: queue it unless its environment or its concurrency group says wait. */
  | { readonly kind: 'start'; readonly key: string }
  /** Read the reusable workflow and put it into `callees`, or end the job as failed. */
  | {
      readonly kind: 'load'
      readonly key: string
      readonly uses: string
      readonly depth: number
    }
  /** The jobs of a loaded workflow; the caller is running from now on. */
  | { readonly kind: 'add'; readonly parent: string; readonly jobs: readonly JobState[] }
  /** The job ends without a runner: skipped, failed by its own text, or as its callee ended. */
  | {
      readonly kind: 'end'
      readonly key: string
      readonly conclusion: JobConclusion
      readonly outputs: Readonly<Record<string, string>>
      readonly reason: string | null
    }
  /** Cancel the job wherever it is: another of its matrix failed. */
  | { readonly kind: 'cancel'; readonly key: string; readonly reason: string }
  /** Every job has ended. */
  | { readonly kind: 'end-run'; readonly conclusion: RunConclusion }

export type NeedsContext = Readonly<
  Record<string, { readonly result: string; readonly outputs: Readonly<Record<string, string>> }>
>
