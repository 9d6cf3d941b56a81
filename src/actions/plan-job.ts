/** A job whose needs have ended becomes one row, or one for each combination of its matrix. */
import {
  type ExpressionBudget,
  ExpressionFault,
  isTruthy,
  keysRead,
  parseExpression,
  type Scope,
} from './expression.ts'
import { isJsonArray, isJsonObject, scalarText, type Json, type JsonObject } from './json.ts'
import { combinationName, expandMatrix } from './matrix.ts'
import type { Permissions, StepsJob, Template, Workflow, WorkflowJob } from './model.ts'
import { intersectPermissions } from './permissions.ts'
import type { Concurrency, JobPlan, JobState, StepsPlan } from './run-state.ts'
import { expand, expressionsIn, hasExpression, interpolate } from './template.ts'

export type Planning = {
  readonly workflow: Workflow
  readonly job: WorkflowJob
  /** The contexts `github`, `inputs`, `vars` and `needs`. */
  readonly contexts: JsonObject
  /** The calling job and what its token may do; null in the run's own file. */
  readonly caller: { readonly key: string; readonly permissions: Permissions | null } | null
  readonly budget: ExpressionBudget
}

const DEFAULT_TIMEOUT_MINUTES = 360
const MAX_TIMEOUT_MINUTES = 30 * 24 * 60
const MAX_KEY = 255

/** Throws ExpressionFault. */
export function planJob(planning: Planning): JobState[] {
  const { job, contexts, caller, budget } = planning
  const scope: Scope = { contexts }
  const strategy = job.strategy
  const matrix = strategy ? expand(strategy.matrix, scope, budget) : null
  if (matrix !== null && !isJsonObject(matrix))
    throw new ExpressionFault('The matrix is not a mapping')
  const combinations: (JsonObject | null)[] = matrix === null ? [null] : expandMatrix(matrix)
  if (combinations.length === 0) throw new ExpressionFault('The matrix has no combination')
  const failFast = strategy ? expand(strategy.failFast, scope, budget) : null
  const maxParallel = strategy ? numberOf(expand(strategy.maxParallel, scope, budget)) : null
  const keys = new Set<string>()
  return combinations.map((combination, index) => {
    const name = combination === null ? '' : combinationName(combination)
    const prefix = caller === null ? '' : `${caller.key} / `
    const key = uniqueKey(`${prefix}${job.id}${combination === null ? '' : ` (${name})`}`, keys)
    const plan = planRow(planning, {
      matrix: combination,
      strategy: {
        failFast: failFast === null || isTruthy(failFast),
        maxParallel: Math.max(1, maxParallel ?? combinations.length),
        index,
        total: combinations.length,
      },
    })
    return { ...emptyState, key, parent: caller?.key ?? null, jobId: job.id, plan }
  })
}

export const emptyState = {
  status: 'pending',
  conclusion: null,
  cancelRequested: false,
  outputs: {},
  endedAs: null,
} as const

function uniqueKey(wanted: string, used: Set<string>): string {
  for (let attempt = 1; ; attempt++) {
    const suffix = attempt === 1 ? '' : ` #${attempt}`
    const key = wanted.slice(0, MAX_KEY - suffix.length) + suffix
    if (used.has(key)) continue
    used.add(key)
    return key
  }
}

const numberOf = (value: Json): number | null => {
  if (value === null || value === '') return null
  const number = Number(scalarText(value))
  return Number.isFinite(number) ? number : null
}

/** The `strategy` context, as expressions name it. */
export const strategyContext = ({ strategy }: Pick<JobPlan, 'strategy'>): JsonObject => ({
  'fail-fast': strategy.failFast,
  'job-index': strategy.index,
  'job-total': strategy.total,
  'max-parallel': strategy.maxParallel,
})

function planRow(planning: Planning, row: Pick<JobPlan, 'matrix' | 'strategy'>): JobPlan {
  const { job, workflow, caller, budget } = planning
  const contexts = {
    ...planning.contexts,
    matrix: row.matrix ?? {},
    strategy: strategyContext(row),
  }
  const scope: Scope = { contexts }
  const inputs = contexts['inputs' as keyof typeof contexts] as Json | undefined
  const base = {
    ...row,
    name: nameOf(job, row.matrix, scope, budget),
    permissions: intersectPermissions(
      caller?.permissions ?? null,
      job.permissions ?? workflow.permissions,
    ),
    concurrency: concurrencyOf(job.concurrency, scope, budget),
    inputs: isJsonObject(inputs) ? inputs : {},
  }
  if (job.kind === 'steps') return { ...base, ...planSteps(workflow, job, { scope, budget }) }
  const given = expand(job.with, scope, budget)
  return {
    ...base,
    kind: 'call',
    uses: job.uses,
    with: isJsonObject(given) ? given : {},
    secrets: job.secrets,
  }
}

function nameOf(
  { id, name }: WorkflowJob,
  matrix: JsonObject | null,
  scope: Scope,
  budget: ExpressionBudget,
): string {
  const text = scalarText(name)
  if (hasExpression(text)) {
    const evaluated = interpolate(text, scope, budget).trim()
    if (evaluated !== '') return evaluated.slice(0, MAX_KEY)
  }
  const plain = text.trim() === '' || hasExpression(text) ? id : text.trim()
  return (matrix === null ? plain : `${plain} (${combinationName(matrix)})`).slice(0, MAX_KEY)
}

type Evaluation = { readonly scope: Scope; readonly budget: ExpressionBudget }

function planSteps(workflow: Workflow, job: StepsJob, { scope, budget }: Evaluation): StepsPlan {
  const minutes = numberOf(expand(job.timeoutMinutes, scope, budget)) ?? DEFAULT_TIMEOUT_MINUTES
  return {
    kind: 'steps',
    runsOn: labelsOf(expand(job.runsOn, scope, budget)),
    environment: environmentOf(job.environment, scope, budget),
    timeoutMinutes: Math.min(Math.max(minutes, 1), MAX_TIMEOUT_MINUTES),
    continueOnError: isTruthy(expand(job.continueOnError, scope, budget)),
    env: [workflow.env, job.env],
    defaults: [job.defaults, workflow.defaults],
    container: job.container,
    services: job.services,
    steps: job.steps,
    outputs: job.outputs,
    secrets: secretsRead([
      workflow.env,
      job.env,
      job.container,
      job.services,
      job.environment,
      job.outputs,
      job.steps as unknown as Json,
    ]),
  }
}

function labelsOf(value: Json): string[] {
  const labels = isJsonObject(value) ? (value.labels ?? null) : value
  const list = isJsonArray(labels) ? labels : [labels]
  const found = list.map(scalarText).filter((label) => label !== '')
  if (found.length === 0 && !isJsonObject(value)) throw new ExpressionFault('runs-on is empty')
  return found
}

function environmentOf(
  template: Template,
  scope: Scope,
  budget: ExpressionBudget,
): StepsPlan['environment'] {
  if (template === null) return null
  const parts = isJsonObject(template) ? template : { name: template, url: null }
  const name = scalarText(expand(parts.name ?? null, scope, budget)).trim()
  return name === '' ? null : { name, url: parts.url ?? null }
}

/** What `concurrency` says. Throws ExpressionFault. */
export function concurrencyOf(
  template: Template,
  scope: Scope,
  budget: ExpressionBudget,
): Concurrency | null {
  const value = expand(template, scope, budget)
  if (value === null || value === '') return null
  const parts = isJsonObject(value) ? value : { group: value }
  const group = scalarText(parts.group ?? null).trim()
  if (group === '') return null
  return {
    group: group.slice(0, 400),
    cancelInProgress:
      isTruthy(parts['cancel-in-progress'] ?? null) && parts['cancel-in-progress'] !== 'false',
    queue: parts.queue === 'max' ? 'max' : 'single',
  }
}

const EVERYWHERE = {
  contexts: [
    'github',
    'inputs',
    'vars',
    'needs',
    'strategy',
    'matrix',
    'secrets',
    'steps',
    'job',
    'jobs',
    'runner',
    'env',
  ],
  functions: ['success', 'failure', 'always', 'cancelled', 'hashFiles'],
}

/** The secrets that templates name, in upper case; `all` when one reads the context whole. */
export function secretsRead(templates: readonly Template[]): readonly string[] | 'all' {
  const names = new Set<string>()
  for (const template of templates)
    for (const text of expressionsIn(template)) {
      const expression = parseExpression(text, EVERYWHERE)
      const keys = expression ? keysRead(expression, 'secrets') : []
      if (keys === 'all') return 'all'
      for (const key of keys) names.add(key.toUpperCase())
    }
  return [...names].sort()
}
