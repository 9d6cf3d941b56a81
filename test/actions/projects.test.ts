/** Workflow files of public projects (`test/fixtures/actions/projects`) are read and planned. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { applyDecisions, decide, initialJobs, type RunState, type Workflow } from '#actions'
import type { Json } from '#src/actions/json.ts'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'

const FOLDER = join(import.meta.dir, '../fixtures/actions/projects')

const files = [...new Bun.Glob('*/*.{yml,yaml}').scanSync(FOLDER)].sort()

/** Templates name the branches and times of the repository that takes them over. */
async function read(file: string): Promise<ReturnType<typeof parseWorkflow>> {
  const text = (await Bun.file(join(FOLDER, file)).text())
    .replaceAll('$default-branch', 'main')
    .replaceAll('$protected-branches', 'main')
    .replaceAll(/\$cron-(?:daily|weekly)/g, "'0 1 * * *'")
  return parseWorkflow(text, file)
}

/** Runs all jobs of a workflow with success and without outputs. Returns why jobs failed. */
function play(workflow: Workflow): { jobs: number; failures: string[] } {
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
  for (let round = 0; round < 3_000; round++) {
    const decisions = decide(run)
    if (decisions.some(({ kind }) => kind === 'end-run')) return { jobs: run.jobs.length, failures }
    for (const decision of decisions)
      if (decision.kind === 'end' && decision.conclusion === 'failure')
        failures.push(`${decision.key}: ${decision.reason}`)
    // What called workflows do is theirs; runners end everything that was started.
    const answered = decisions.map((decision) =>
      decision.kind === 'load'
        ? ({ ...decision, kind: 'end', conclusion: 'success', outputs: {}, reason: null } as const)
        : decision,
    )
    run = applyDecisions(run, answered)
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

test('there are the files of twelve projects', () => {
  expect(new Set(files.map((file) => file.split('/')[0])).size).toBe(12)
  expect(files.length).toBeGreaterThan(200)
})

test('every file is read without an error', async () => {
  const faults: unknown[] = []
  for (const file of files) faults.push(...(await read(file)).problems)
  expect(faults).toEqual([])
})

test('every job is planned and comes to an end', async () => {
  const failures: string[] = []
  let jobs = 0
  for (const file of files) {
    const { workflow } = await read(file)
    if (!workflow) continue
    const played = play(workflow)
    jobs += played.jobs
    failures.push(...played.failures.map((reason) => `${file} ${reason}`))
  }
  expect(jobs).toBeGreaterThan(500)
  // A matrix that a job computes is empty here, because nothing ran.
  expect(failures.filter((reason) => !reason.includes('empty input'))).toEqual([])
})
