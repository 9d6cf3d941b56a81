/**
 * The model of a workflow file: plain JSON, so that it is stored and comes back without parsing.
 *
 * Values that may hold `${{ }}` are kept as the file has them (`Template`). They are evaluated when
 * they are needed (`expand`), because contexts such as `needs` exist only then.
 */
import type { Json, JsonObject } from './json.ts'

/** Characters of a file. */
export const MAX_WORKFLOW_LENGTH = 256 * 1024

/** A value as the file has it; any string within may hold `${{ }}`. */
export type Template = Json

/** A fault, or a warning, at a place of a file. Lines and columns start at 1. */
export type Problem = {
  readonly file: string
  readonly line: number
  readonly column: number
  /** One line. */
  readonly text: string
}

/** The events of GitHub that start workflows here. */
export const EVENT_NAMES = [
  'push',
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'create',
  'delete',
  'issues',
  'issue_comment',
  'release',
  'schedule',
  'workflow_dispatch',
  'workflow_call',
  'workflow_run',
  'merge_group',
] as const
export type EventName = (typeof EVENT_NAMES)[number]

/** Patterns as GitHub writes them: `*`, `**`, `?`, `+`, `[]`, and `!` for exceptions. */
export type Patterns = readonly string[]

export type InputDefinition = {
  readonly type: 'string' | 'boolean' | 'number' | 'choice' | 'environment'
  readonly description: string | null
  readonly required: boolean
  /** May hold expressions in `workflow_call`. */
  readonly default: Template
  readonly options: readonly string[]
}

/** What one entry of `on` says. Absent filters are null. */
export type Trigger = {
  readonly types: readonly string[] | null
  readonly branches: Patterns | null
  readonly branchesIgnore: Patterns | null
  readonly tags: Patterns | null
  readonly tagsIgnore: Patterns | null
  readonly paths: Patterns | null
  readonly pathsIgnore: Patterns | null
  /** Of `workflow_run`: the names of workflows. */
  readonly workflows: readonly string[] | null
  /** Of `schedule`. */
  readonly schedules: readonly { readonly cron: string; readonly timezone: string | null }[]
  /** Of `workflow_dispatch` and `workflow_call`. */
  readonly inputs: Readonly<Record<string, InputDefinition>>
  /** Of `workflow_call`. */
  readonly secrets: Readonly<Record<string, { readonly required: boolean }>>
  /** Of `workflow_call`: templates that may name `jobs`. */
  readonly outputs: Readonly<Record<string, Template>>
}

/** From the least to the most. */
export const PERMISSION_LEVELS = ['none', 'read', 'write'] as const
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number]

/**
 * The rights of a job's token by GitHub's scope names (`contents`, `pull-requests`). A scope that
 * is absent has none. `all` gives every scope that level.
 */
export type Permissions =
  | { readonly all: PermissionLevel }
  | { readonly scopes: Readonly<Record<string, PermissionLevel>> }

export type RunDefaults = {
  readonly shell: Template
  readonly workingDirectory: Template
}

export type Step = {
  /** The id of the file, or one made as GitHub makes it: `__run`, `__actions_checkout_2`. */
  readonly id: string
  /** From 1, in the order of the file. */
  readonly number: number
  readonly line: number
  readonly column: number
  readonly name: Template
  /** An expression without `${{ }}` that always asks for a status: `success() && (…)`. */
  readonly if: string
  readonly env: Template
  readonly continueOnError: Template
  readonly timeoutMinutes: Template
} & (
  | {
      readonly kind: 'run'
      readonly run: string
      readonly shell: Template
      readonly workingDirectory: Template
    }
  | { readonly kind: 'uses'; readonly uses: string; readonly with: Template }
)

type JobBase = {
  readonly id: string
  readonly line: number
  readonly column: number
  readonly name: Template
  readonly needs: readonly string[]
  /** An expression without `${{ }}` that always asks for a status: `success() && (…)`. */
  readonly if: string
  readonly strategy: {
    readonly matrix: Template
    readonly failFast: Template
    readonly maxParallel: Template
  } | null
  readonly permissions: Permissions | null
  readonly concurrency: Template
}

/** A job with steps. */
export type StepsJob = JobBase & {
  readonly kind: 'steps'
  readonly runsOn: Template
  readonly environment: Template
  readonly env: Template
  readonly defaults: RunDefaults
  readonly timeoutMinutes: Template
  readonly continueOnError: Template
  readonly container: Template
  readonly services: Template
  readonly outputs: Readonly<Record<string, Template>>
  readonly steps: readonly Step[]
}

/** A job that calls a reusable workflow. */
export type CallJob = JobBase & {
  readonly kind: 'call'
  readonly uses: string
  readonly with: JsonObject
  readonly secrets: 'inherit' | JsonObject
}

export type WorkflowJob = StepsJob | CallJob

export type Workflow = {
  readonly path: string
  /** The name of the file's `name`, or its path. */
  readonly name: string
  readonly runName: Template
  readonly on: Readonly<Partial<Record<EventName, Trigger>>>
  /** Events that GitHub has and that never happen here. */
  readonly neverHappens: readonly string[]
  readonly env: Template
  readonly defaults: RunDefaults
  readonly permissions: Permissions | null
  readonly concurrency: Template
  /** In the order of the file. */
  readonly jobs: readonly WorkflowJob[]
  /** Valid parts that have no effect here, such as `runs-on: group`. */
  readonly warnings: readonly Problem[]
}
