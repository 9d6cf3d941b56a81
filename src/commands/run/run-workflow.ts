/** One run of a workflow in memory: decides which job is next, and lets it run. */
import {
  applyDecisions,
  decide,
  initialJobs,
  needsOf,
  strategyContext,
  type Decision,
  type JobConclusion,
  type JobState,
  type JsonObject,
  type NeedsContext,
  type RunConclusion,
  type RunState,
  type StepsPlan,
  type Workflow,
} from '#actions'

/** A job that may start. */
export type ReadyJob = {
  readonly key: string
  readonly jobId: string
  readonly name: string
  readonly plan: StepsPlan
  readonly matrix: JsonObject | null
  readonly strategy: JsonObject
  readonly inputs: JsonObject
  readonly needs: NeedsContext
}

export type JobEnd = {
  readonly conclusion: JobConclusion
  readonly outputs: Readonly<Record<string, string>>
}

export type WorkflowRunOptions = {
  readonly workflow: Workflow
  readonly github: JsonObject
  readonly inputs: JsonObject
  readonly vars: JsonObject
  readonly stop: AbortSignal
  /** Reads a called workflow. Throws an Error with one line. */
  readonly load: (uses: string) => Promise<Workflow>
  readonly execute: (job: ReadyJob) => Promise<JobEnd>
  /** Told of jobs that end without running. */
  readonly onEnd: (key: string, conclusion: JobConclusion, reason: string | null) => void
}

/** Only the jobs that one job needs, and that job. */
export function withJobOnly(workflow: Workflow, id: string): Workflow {
  const wanted = new Set([id])
  for (const one of wanted)
    for (const need of workflow.jobs.find((job) => job.id === one)?.needs ?? []) wanted.add(need)
  return { ...workflow, jobs: workflow.jobs.filter((job) => wanted.has(job.id)) }
}

export async function runWorkflow(options: WorkflowRunOptions): Promise<RunConclusion> {
  const { workflow, github, inputs, vars } = options
  let run: RunState = {
    workflow,
    callees: {},
    jobs: initialJobs(workflow),
    github,
    inputs,
    vars,
    cancelled: false,
  }
  for (;;) {
    run = { ...run, cancelled: options.stop.aborted }
    const decisions = decide(run)
    const last = decisions.find(({ kind }) => kind === 'end-run')
    if (last?.kind === 'end-run') return last.conclusion
    for (const decision of decisions)
      if (decision.kind === 'end') options.onEnd(decision.key, decision.conclusion, decision.reason)
    run = await loadCalled(applyDecisions(run, decisions), decisions, options)
    const next = run.jobs.find(({ status, plan }) => status === 'started' && plan?.kind === 'steps')
    if (next) run = await executeNext(run, next, options)
    else if (decisions.length === 0) return 'failure'
  }
}

/** Reads the workflows that decisions ask for. */
async function loadCalled(
  run: RunState,
  decisions: readonly Decision[],
  { load, onEnd }: WorkflowRunOptions,
): Promise<RunState> {
  let state = run
  for (const decision of decisions) {
    if (decision.kind !== 'load') continue
    const { key, uses } = decision
    try {
      state = { ...state, callees: { ...state.callees, [key]: await load(uses) } }
    } catch (error) {
      onEnd(key, 'failure', error instanceof Error ? error.message : String(error))
      state = withEnd(state, key, { conclusion: 'failure', outputs: {} })
    }
  }
  return state
}

async function executeNext(
  run: RunState,
  { key, jobId, plan, parent }: JobState,
  { execute }: WorkflowRunOptions,
): Promise<RunState> {
  if (plan?.kind !== 'steps') return run
  const end = await execute({
    key,
    jobId,
    name: plan.name,
    plan,
    matrix: plan.matrix,
    strategy: strategyContext(plan),
    inputs: plan.inputs,
    needs: needsOf(run, { parent, jobId }),
  })
  return withEnd(run, key, end)
}

function withEnd(run: RunState, key: string, { conclusion, outputs }: JobEnd): RunState {
  const endedAs = run.jobs.filter(({ status }) => status === 'completed').length
  const jobs = run.jobs.map(
    (job): JobState =>
      job.key === key ? { ...job, status: 'completed', conclusion, outputs, endedAs } : job,
  )
  return { ...run, jobs }
}
