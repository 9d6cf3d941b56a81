/**
 * What happens next in a run, from the state of its jobs: pure, and without memory of its own. Apply
 * the decisions and ask again until there are none.
 */
import { callOutputs, depthOf, faultOfCall, inputsOf, MAX_CALL_DEPTH, rowOf } from './calls.ts'
import { ExpressionBudget, ExpressionFault, holds, statusFunctions } from './expression.ts'
import type { Workflow, WorkflowJob } from './model.ts'
import {
  ancestorsOf,
  asJson,
  haveEnded,
  jobOf,
  needsContext,
  resultOf,
  scopesOf,
  effectiveConclusion,
  workflowOf,
  type JobScope,
} from './needs.ts'
import { concurrencyOf, emptyState, planJob } from './plan-job.ts'
import type {
  Concurrency,
  Decision,
  JobConclusion,
  JobState,
  RunConclusion,
  RunState,
} from './run-state.ts'
import { interpolate } from './template.ts'
import { scalarText } from './json.ts'

export const MAX_JOBS_OF_RUN = 1_000
/** Of the plans that one call makes: each row of a matrix has the steps of its job. */
const MAX_PLAN_CHARS = 16 * 1024 * 1024

/** The rows of a file before anything is known: one for each job. */
export const initialJobs = (workflow: Workflow, parent: string | null = null): JobState[] =>
  workflow.jobs.map(({ id }) => ({
    ...emptyState,
    key: parent === null ? id : `${parent} / ${id}`,
    parent,
    jobId: id,
    plan: null,
  }))

type RunContexts = Pick<RunState, 'workflow' | 'github' | 'inputs' | 'vars'>

const scopeOfRun = ({ github, inputs, vars }: RunContexts) => ({
  contexts: { github, inputs, vars },
})

/** What `run-name` says; null without one, or when it cannot be evaluated. */
export function runTitle(run: RunContexts): string | null {
  try {
    const title = interpolate(scalarText(run.workflow.runName), scopeOfRun(run)).trim()
    return title === '' ? null : title.slice(0, 255)
  } catch (error) {
    if (error instanceof ExpressionFault) return null
    throw error
  }
}

/** The concurrency group of a run. Throws ExpressionFault. */
export const runConcurrency = (run: RunContexts): Concurrency | null =>
  concurrencyOf(run.workflow.concurrency, scopeOfRun(run), new ExpressionBudget())

/**
 * What the state of a run asks for now. Decisions of one call do not see each other: apply them all
 * (or keep `load` for later) and call again. `end-run` comes alone, when every job has ended.
 */
export function decide(run: RunState): Decision[] {
  const shared = { budget: new ExpressionBudget(), size: { jobs: run.jobs.length, chars: 0 } }
  const decisions = scopesOf(run).flatMap((scope) =>
    [...scope.rows.values()].flatMap((rows) =>
      rows.flatMap((row) => decideRow(run, { ...shared, scope, row, rows })),
    ),
  )
  if (decisions.length > 0 || !haveEnded(run.jobs)) return decisions
  return [{ kind: 'end-run', conclusion: conclusionOf(run) }]
}

type Deciding = {
  readonly scope: JobScope
  readonly row: JobState
  /** All rows of the job of the row. */
  readonly rows: readonly JobState[]
  readonly budget: ExpressionBudget
  /** What the decisions of this call make: rows, and characters of their plans. */
  readonly size: { jobs: number; chars: number }
}

const end = (
  { key }: JobState,
  conclusion: JobConclusion,
  reason: string | null,
  outputs: Readonly<Record<string, string>> = {},
): Decision => ({ kind: 'end', key, conclusion, outputs, reason })

function decideRow(run: RunState, deciding: Deciding): Decision[] {
  const { scope, row } = deciding
  if (row.status === 'completed') return []
  const job = jobOf(scope.workflow, row.jobId)
  if (!job) return [end(row, 'failure', 'The file has no such job')]
  try {
    if (row.plan === null) return decideUnplanned(run, job, deciding)
    const stop = decideStop(run, job, deciding)
    if (stop) return stop
    if (row.status === 'pending') return decidePending(deciding)
    return row.plan.kind === 'call' ? decideCall(run, deciding) : []
  } catch (error) {
    if (error instanceof ExpressionFault) return [end(row, 'failure', error.message)]
    throw error
  }
}

/** The contexts and functions of a job's `if`. */
function conditionHolds(run: RunState, job: WorkflowJob, { scope, budget }: Deciding): boolean {
  const ancestors = ancestorsOf(scope.workflow, job.needs)
  const results = (ids: readonly unknown[]): JobConclusion[] =>
    (ids.length === 0 ? ancestors : ids.map(String)).map((id) => resultOf(scope.rows.get(id) ?? []))
  const contexts = {
    github: run.github,
    vars: run.vars,
    inputs: inputsOf(run, scope.parent, budget),
    needs: asJson(needsContext(scope, job.needs)),
  }
  const functions = {
    ...statusFunctions({ success: false, failure: false, cancelled: run.cancelled }),
    success: (...ids: readonly unknown[]) =>
      !run.cancelled && results(ids).every((one) => one === 'success'),
    failure: (...ids: readonly unknown[]) =>
      !run.cancelled && results(ids).some((one) => one === 'failure'),
  }
  return holds(job.if, { contexts, functions }, budget)
}

function decideUnplanned(run: RunState, job: WorkflowJob, deciding: Deciding): Decision[] {
  const { scope, row, budget } = deciding
  if (!job.needs.every((id) => haveEnded(scope.rows.get(id) ?? []))) return []
  if (!conditionHolds(run, job, deciding))
    return [end(row, run.cancelled ? 'cancelled' : 'skipped', skipReason(job, scope))]
  const caller = scope.parent === null ? undefined : rowOf(run, scope.parent)
  const contexts = {
    github: run.github,
    vars: run.vars,
    inputs: inputsOf(run, scope.parent, budget),
    needs: asJson(needsContext(scope, job.needs)),
  }
  const into = planJob({
    workflow: scope.workflow,
    job,
    contexts,
    caller: caller ? { key: caller.key, permissions: caller.plan?.permissions ?? null } : null,
    budget,
  })
  countRows(deciding, into.length - 1)
  deciding.size.chars += JSON.stringify(job).length * into.length
  if (deciding.size.chars > MAX_PLAN_CHARS)
    throw new ExpressionFault('The matrix is too large for a job with so many steps')
  return [{ kind: 'expand', key: row.key, into }]
}

function countRows({ size }: Deciding, added: number): void {
  size.jobs += added
  if (size.jobs > MAX_JOBS_OF_RUN)
    throw new ExpressionFault(`A run has at most ${MAX_JOBS_OF_RUN} jobs`)
}

function skipReason(job: WorkflowJob, scope: JobScope): string {
  const need = ancestorsOf(scope.workflow, job.needs).find(
    (id) => resultOf(scope.rows.get(id) ?? []) !== 'success',
  )
  const result = need === undefined ? null : resultOf(scope.rows.get(need) ?? [])
  return job.if === 'success()' && result !== null
    ? `the job ${need} ${result === 'failure' ? 'failed' : `was ${result}`}`
    : 'its condition was false'
}

/** Why a planned row stops before it ended by itself; null when it goes on. */
function decideStop(run: RunState, job: WorkflowJob, deciding: Deciding): Decision[] | null {
  const { row } = deciding
  const isCall = row.plan?.kind === 'call'
  if (isCall && row.cancelRequested) return null
  const reason = stopReason(run, job, deciding)
  if (reason === null) return null
  if (row.status === 'pending' || (isCall && row.status === 'started'))
    return [end(row, 'cancelled', reason)]
  // The jobs of a called workflow ask for themselves whether they go on after a cancel of the run.
  if (isCall && run.cancelled) return null
  return row.cancelRequested ? [] : [{ kind: 'cancel', key: row.key, reason }]
}

function stopReason(run: RunState, job: WorkflowJob, deciding: Deciding): string | null {
  const { row, rows } = deciding
  if (run.cancelled && !conditionHolds(run, job, deciding)) return 'the run was cancelled'
  const failed = row.plan?.strategy.failFast ? rows.find(hasFailed) : undefined
  if (failed) return `${failed.key} failed, and fail-fast is on`
  const caller = row.parent === null ? undefined : rowOf(run, row.parent)
  return caller?.cancelRequested ? `${caller.key} was cancelled` : null
}

function hasFailed(row: JobState): boolean {
  const conclusion = effectiveConclusion(row)
  return conclusion === 'failure' || conclusion === 'timed_out'
}

function decidePending({ row, rows }: Deciding): Decision[] {
  const limit = row.plan?.strategy.maxParallel ?? 1
  const before = rows.filter(
    (other) =>
      other.status === 'started' ||
      other.status === 'running' ||
      (other.status === 'pending' &&
        (other.plan?.strategy.index ?? 0) < (row.plan?.strategy.index ?? 0)),
  )
  return before.length < limit ? [{ kind: 'start', key: row.key }] : []
}

function decideCall(run: RunState, deciding: Deciding): Decision[] {
  const { row, budget } = deciding
  if (row.plan?.kind !== 'call') return []
  const callee = workflowOf(run, row.key)
  const scope = scopesOf(run).find(({ parent }) => parent === row.key)
  if (scope) {
    const children = [...scope.rows.values()].flat()
    if (!haveEnded(children)) return []
    const outputs = callOutputs(run, scope, budget)
    return [end(row, resultOf(children), null, outputs)]
  }
  if (row.status !== 'started' || row.isHeld) return []
  const depth = depthOf(run, row) + 1
  if (depth >= MAX_CALL_DEPTH)
    return [end(row, 'failure', `Workflows call each other at most ${MAX_CALL_DEPTH} deep`)]
  if (!callee) return [{ kind: 'load', key: row.key, uses: row.plan.uses, depth }]
  const fault = faultOfCall(row.plan, callee)
  if (fault) return [end(row, 'failure', fault)]
  inputsOf(run, row.key, budget)
  const jobs = initialJobs(callee, row.key)
  countRows(deciding, jobs.length)
  return [{ kind: 'add', parent: row.key, jobs }]
}

function conclusionOf(run: RunState): RunConclusion {
  if (run.cancelled) return 'cancelled'
  return resultOf(run.jobs.filter(({ parent }) => parent === null))
}

/** The state after decisions, for those who keep a run in memory. `load` is theirs to do. */
export function applyDecisions(run: RunState, decisions: readonly Decision[]): RunState {
  let jobs = run.jobs
  const change = (key: string, parts: Partial<JobState>): void => {
    jobs = jobs.map((row) => (row.key === key ? { ...row, ...parts } : row))
  }
  const ends = jobs.filter(({ status }) => status === 'completed').length
  decisions.forEach((decision, index) => {
    if (decision.kind === 'expand')
      jobs = jobs.flatMap((row) => (row.key === decision.key ? decision.into : row))
    else if (decision.kind === 'start') change(decision.key, { status: 'started' })
    else if (decision.kind === 'cancel') change(decision.key, { cancelRequested: true })
    else if (decision.kind === 'add') {
      change(decision.parent, { status: 'running' })
      jobs = [...jobs, ...decision.jobs]
    } else if (decision.kind === 'end') {
      const { conclusion, outputs } = decision
      change(decision.key, { status: 'completed', conclusion, outputs, endedAs: ends + index })
    }
  })
  return { ...run, jobs }
}
