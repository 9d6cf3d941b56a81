/** Plays runs of workflow files, for tests: everything succeeds and has no outputs. */
import { applyDecisions, decide, initialJobs, type RunState, type Workflow } from '#actions'
import type { Json } from '#src/actions/json.ts'

/** More than any run of a file takes. */
const MAX_ROUNDS = 3_000

/**
 * Runs all jobs of a workflow with success and without outputs. Returns why jobs failed. `load` finds
 * a reusable workflow by its `uses`; where it finds none, the job that calls it succeeds.
 */
export function play(
  workflow: Workflow,
  load: (uses: string) => Workflow | null = () => null,
): { jobs: number; failures: string[] } {
  const { workflow_dispatch, workflow_call } = workflow.on
  const inputs = { ...workflow_dispatch?.inputs, ...workflow_call?.inputs }
  const failures: string[] = []
  let run: RunState = {
    workflow,
    callees: {},
    jobs: initialJobs(workflow),
    github: { ref: 'refs/heads/main', repository_owner: 'acme', event_name: 'push', event: {} },
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([name, one]): [string, Json] => [name, one.default]),
    ),
    vars: {},
    cancelled: false,
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const decisions = decide(run)
    if (decisions.some(({ kind }) => kind === 'end-run')) return { jobs: run.jobs.length, failures }
    for (const decision of decisions)
      if (decision.kind === 'end' && decision.conclusion === 'failure')
        failures.push(`${decision.key}: ${decision.reason}`)
    const callees = { ...run.callees }
    // What is called elsewhere is not here; runners end everything that was started.
    const answered = decisions.flatMap((decision) => {
      if (decision.kind !== 'load') return [decision]
      const callee = load(decision.uses)
      if (callee === null)
        return [
          { ...decision, kind: 'end', conclusion: 'success', outputs: {}, reason: null } as const,
        ]
      callees[decision.key] = callee
      return []
    })
    run = { ...applyDecisions(run, answered), callees }
    if (decisions.length > 0) continue
    const started = run.jobs.filter(({ status }) => status === 'started')
    if (started.length === 0) return { jobs: run.jobs.length, failures: ['nothing can start'] }
    const ended = { status: 'completed', conclusion: 'success', endedAs: round } as const
    run = {
      ...run,
      jobs: run.jobs.map((job) => (started.includes(job) ? { ...job, ...ended } : job)),
    }
  }
  throw new Error('the decisions do not end')
}
