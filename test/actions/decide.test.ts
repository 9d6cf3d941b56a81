import { expect, test } from 'bun:test'
import {
  applyDecisions,
  decide,
  initialJobs,
  runConcurrency,
  runTitle,
  secretsOf,
  type JobConclusion,
  type JobState,
  type RunState,
  type Workflow,
} from '#actions'
import { expandMatrix } from '#src/actions/matrix.ts'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'

function workflowFrom(text: string): Workflow {
  const { workflow, problems } = parseWorkflow(text, 'ci.yml')
  if (!workflow) throw new Error(JSON.stringify(problems))
  return workflow
}

const STEPS = 'runs-on: ubuntu-latest, steps: [{ run: x }]'

/** A run that is kept in memory, with helpers that say what its runner did. */
class Run {
  state: RunState
  conclusion: string | null = null
  readonly reasons: Record<string, string | null> = {}
  readonly #callees: Readonly<Record<string, Workflow>>

  constructor(jobs: string, callees: Readonly<Record<string, string>> = {}, head = '') {
    const workflow = workflowFrom(`on: push\n${head}jobs:\n${jobs}\n`)
    this.#callees = Object.fromEntries(
      Object.entries(callees).map(([uses, text]) => [uses, workflowFrom(text)]),
    )
    this.state = {
      workflow,
      callees: {},
      jobs: initialJobs(workflow),
      github: { ref: 'refs/heads/main', event: {} },
      inputs: {},
      vars: {},
      cancelled: false,
    }
    this.settle()
  }

  settle(): void {
    for (let round = 0; round < 100; round++) {
      const decisions = decide(this.state)
      for (const decision of decisions) {
        if (decision.kind === 'end') this.reasons[decision.key] = decision.reason
        if (decision.kind === 'end-run') this.conclusion = decision.conclusion
        const callee = decision.kind === 'load' ? this.#callees[decision.uses] : undefined
        if (decision.kind === 'load' && callee)
          this.state = {
            ...this.state,
            callees: { ...this.state.callees, [decision.key]: callee },
          }
      }
      this.state = applyDecisions(this.state, decisions)
      if (decisions.length === 0 || this.conclusion !== null) return
    }
    throw new Error('the decisions do not end')
  }

  job(key: string): JobState {
    const found = this.state.jobs.find((job) => job.key === key)
    if (!found) throw new Error(`no job ${key}: ${this.keys().join(', ')}`)
    return found
  }

  keys(status?: JobState['status']): string[] {
    return this.state.jobs
      .filter((job) => status === undefined || job.status === status)
      .map(({ key }) => key)
  }

  end(key: string, conclusion: JobConclusion, outputs: Record<string, string> = {}): this {
    expect(this.job(key).status).toBe('started')
    const endedAs = this.keys('completed').length
    this.#change(key, { status: 'completed', conclusion, outputs, endedAs })
    this.settle()
    return this
  }

  cancel(): this {
    this.state = { ...this.state, cancelled: true }
    this.settle()
    return this
  }

  #change(key: string, parts: Partial<JobState>): void {
    const jobs = this.state.jobs.map((job) => (job.key === key ? { ...job, ...parts } : job))
    this.state = { ...this.state, jobs }
  }
}

const conclusions = (run: Run): Record<string, string | null> =>
  Object.fromEntries(run.state.jobs.map(({ key, conclusion }) => [key, conclusion]))

test('a job starts when all that it needs has succeeded', () => {
  const run = new Run(
    `  a: { ${STEPS} }\n  b: { needs: a, ${STEPS} }\n  c: { needs: [a, b], ${STEPS} }`,
  )
  expect(run.keys('started')).toEqual(['a'])
  run.end('a', 'success')
  expect(run.keys('started')).toEqual(['b'])
  run.end('b', 'success').end('c', 'success')
  expect(run.conclusion).toBe('success')
})

test('a failure skips dependents over all ancestors, whatever stands between', () => {
  const run = new Run(
    `  a: { ${STEPS} }\n  b: { needs: a, if: always(), ${STEPS} }\n  c: { needs: b, ${STEPS} }\n  d: { needs: b, if: failure(), ${STEPS} }`,
  )
  run.end('a', 'failure')
  expect(run.keys('started')).toEqual(['b'])
  run.end('b', 'success')
  expect(run.job('c').conclusion).toBe('skipped')
  expect(run.reasons.c).toBe('the job a failed')
  // A failure of an ancestor counts for failure() too.
  expect(run.keys('started')).toEqual(['d'])
  run.end('d', 'success')
  expect(run.conclusion).toBe('failure')
})

test('a skipped need skips its dependents, and a run of skipped jobs is skipped', () => {
  const run = new Run(`  a: { if: false, ${STEPS} }\n  b: { needs: a, ${STEPS} }`)
  expect(conclusions(run)).toEqual({ a: 'skipped', b: 'skipped' })
  expect(run.conclusion).toBe('skipped')
})

test('continue-on-error counts as success for others and keeps its own conclusion', () => {
  const run = new Run(
    `  a: { continue-on-error: true, ${STEPS} }\n  b: { needs: a, if: "needs.a.result == 'success'", ${STEPS} }`,
  )
  run.end('a', 'failure')
  expect(run.job('a').conclusion).toBe('failure')
  expect(run.keys('started')).toEqual(['b'])
  run.end('b', 'success')
  expect(run.conclusion).toBe('success')
})

test('a matrix from outputs is made late, and its rows are named by their values', () => {
  const run = new Run(
    `  a: { outputs: { v: '1' }, ${STEPS} }\n  b: { needs: a, name: Test, strategy: { matrix: { v: "\${{ fromJSON(needs.a.outputs.v) }}", os: [linux] } }, ${STEPS} }`,
  )
  run.end('a', 'success', { v: '["1.20", 3]' })
  expect(run.keys('started')).toEqual(['b (1.20, linux)', 'b (3, linux)'])
  expect(run.job('b (1.20, linux)').plan?.name).toBe('Test (1.20, linux)')
  expect(run.job('b (3, linux)').plan?.matrix).toEqual({ v: 3, os: 'linux' })
})

test('max-parallel holds rows back; fail-fast cancels the others', () => {
  const matrix = (more: string) =>
    new Run(`  a: { strategy: { ${more} matrix: { v: [1, 2, 3] } }, ${STEPS} }`)
  const run = matrix('max-parallel: 2, ')
  expect(run.keys('started')).toEqual(['a (1)', 'a (2)'])
  run.end('a (1)', 'failure')
  expect(run.job('a (2)').cancelRequested).toBe(true)
  expect(run.job('a (3)').conclusion).toBe('cancelled')
  run.end('a (2)', 'cancelled')
  expect(run.conclusion).toBe('failure')

  const slow = matrix('fail-fast: false, max-parallel: 1, ')
  slow.end('a (1)', 'failure').end('a (2)', 'success')
  expect(slow.keys('started')).toEqual(['a (3)'])
})

test('of the outputs of a matrix, those of the row that ended last win', () => {
  const run = new Run(
    `  a: { strategy: { matrix: { v: [1, 2] } }, outputs: { x: '1' }, ${STEPS} }\n  b: { needs: a, name: "\${{ needs.a.outputs.x }}", ${STEPS} }`,
  )
  run.end('a (2)', 'success', { x: 'two' }).end('a (1)', 'success', { x: 'one' })
  expect(run.job('b').plan?.name).toBe('one')
})

test('a cancelled run runs what asks for it, and ends as cancelled', () => {
  const run = new Run(
    `  a: { ${STEPS} }\n  b: { needs: a, ${STEPS} }\n  c: { needs: a, if: always(), ${STEPS} }\n  d: { needs: a, if: cancelled(), ${STEPS} }`,
  ).cancel()
  expect(run.job('a').cancelRequested).toBe(true)
  run.end('a', 'cancelled')
  expect(run.job('b').conclusion).toBe('cancelled')
  expect(run.keys('started')).toEqual(['c', 'd'])
  run.end('c', 'success').end('d', 'success')
  expect(run.conclusion).toBe('cancelled')
})

const CALLEE = `on:
  workflow_call:
    inputs: { level: { type: number, default: 2 }, who: { type: string, required: true } }
    secrets: { key: { required: true } }
    outputs: { made: { value: '\${{ jobs.inner.outputs.made }} by \${{ inputs.who }}' } }
jobs:
  inner: { outputs: { made: x }, runs-on: 'l\${{ inputs.level }}', steps: [{ run: 'echo \${{ secrets.key }}' }] }
  last: { needs: inner, runs-on: x, steps: [{ run: x }] }
`
const USES = './.github/workflows/callee.yml'

test('a called workflow gets inputs and secrets, and gives its outputs back', () => {
  const run = new Run(
    `  a: { uses: ${USES}, with: { who: "\${{ github.ref }}" }, secrets: { key: "\${{ secrets.DEEP }}" } }\n  b: { needs: a, name: "\${{ needs.a.outputs.made }}", ${STEPS} }`,
    { [USES]: CALLEE },
  )
  expect(run.keys('started')).toEqual(['a / inner'])
  const inner = run.job('a / inner')
  expect(inner.plan?.kind === 'steps' && inner.plan.runsOn).toEqual(['l2'])
  expect(inner.plan?.kind === 'steps' && inner.plan.secrets).toEqual(['KEY'])
  expect(secretsOf(run.state, inner, { DEEP: 'd', OTHER: 'o' })).toEqual({ key: 'd' })
  expect(JSON.stringify(run.state.jobs)).not.toContain('"d"')
  run.end('a / inner', 'success', { made: 'M' }).end('a / last', 'success')
  expect(run.job('a').conclusion).toBe('success')
  expect(run.job('b').plan?.name).toBe('M by refs/heads/main')
})

test.each([
  ['an input that is required', 'secrets: inherit', 'Input who is required'],
  ['a secret that is required', 'with: { who: x }', 'Secret key is required'],
  ['an unknown input', 'with: { who: x, no: y }, secrets: inherit', 'Invalid input, no'],
  [
    'a value of another type',
    'with: { who: x, level: many }, secrets: inherit',
    'The input level is not a number',
  ],
])('a call without %s fails with the reason', (_, given, reason) => {
  const run = new Run(`  a: { uses: ${USES}, ${given} }`, { [USES]: CALLEE })
  expect(run.job('a').conclusion).toBe('failure')
  expect(run.reasons.a).toContain(reason)
})

test('a called workflow asks for no more than its caller may', () => {
  const greedy = CALLEE.replace('jobs:', 'permissions: { contents: write }\njobs:')
  const call = `  a: { uses: ${USES}, with: { who: x }, secrets: inherit }`
  const refused = new Run(call, { [USES]: greedy }, 'permissions: { contents: read }\n')
  expect(refused.reasons.a).toContain(
    "requesting 'contents: write', but is only allowed 'contents: read'",
  )
  const allowed = new Run(call, { [USES]: CALLEE }, 'permissions: { issues: write }\n')
  expect(allowed.job('a / inner').plan?.permissions).toEqual({ scopes: { issues: 'write' } })
})

test('a workflow that calls itself ends', () => {
  const self = `on: workflow_call\njobs: { again: { uses: ${USES} } }\n`
  const run = new Run(`  a: { uses: ${USES} }`, { [USES]: self })
  expect(run.conclusion).toBe('failure')
  expect(Object.values(run.reasons).join()).toContain('at most 4 deep')
})

test('what cannot be evaluated fails its job with the reason, not the others', () => {
  const run = new Run(
    `  a: { runs-on: "\${{ fromJSON('{') }}", steps: [{ run: x }] }\n  b: { ${STEPS} }\n  c: { strategy: { matrix: { v: "\${{ fromJSON('3') }}" } }, ${STEPS} }`,
  )
  expect(run.job('a').conclusion).toBe('failure')
  expect(run.reasons.a).toContain('Error parsing JSON')
  expect(run.reasons.c).toContain("The matrix vector 'v' is not a list")
  expect(run.keys('started')).toEqual(['b'])
})

test('a run never has more than a thousand jobs', () => {
  const wide = `strategy: { matrix: { a: "\${{ fromJSON('[${Array.from({ length: 256 }, (_, i) => i).join(',')}]') }}" } }, ${STEPS}`
  const jobs = ['a', 'b', 'c', 'd', 'e'].map((id) => `  ${id}: { ${wide} }`).join('\n')
  const run = new Run(jobs)
  expect(run.state.jobs.length).toBeLessThanOrEqual(1_000)
  expect(run.reasons.d).toContain('at most 1000 jobs')
})

test('the name and the concurrency group of a run', () => {
  const run = new Run(
    `  a: { ${STEPS} }`,
    {},
    "run-name: 'Deploy ${{ github.ref }}'\nconcurrency: { group: 'g-${{ github.ref }}', cancel-in-progress: \"${{ github.ref != 'x' }}\" }\n",
  )
  expect(runTitle(run.state)).toBe('Deploy refs/heads/main')
  expect(runConcurrency(run.state)).toEqual({
    group: 'g-refs/heads/main',
    cancelInProgress: true,
    queue: 'single',
  })
})

test('include and exclude of a matrix, as the documentation of GitHub has them', () => {
  const made = expandMatrix({
    fruit: ['apple', 'pear'],
    animal: ['cat', 'dog'],
    include: [
      { color: 'green' },
      { color: 'pink', animal: 'cat' },
      { fruit: 'apple', shape: 'circle' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ],
  })
  expect(made).toEqual([
    { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
    { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
    { fruit: 'pear', animal: 'cat', color: 'pink' },
    { fruit: 'pear', animal: 'dog', color: 'green' },
    { fruit: 'banana' },
    { fruit: 'banana', animal: 'cat' },
  ])
  expect(
    expandMatrix({
      os: ['a', 'b'],
      v: [1, 2],
      exclude: [
        { os: 'a', v: 1 },
        { v: 2, os: 'b' },
      ],
    }),
  ).toEqual([
    { os: 'a', v: 2 },
    { os: 'b', v: 1 },
  ])
  const many = Array.from({ length: 20 }, (_, i) => i)
  expect(() => expandMatrix({ a: many, b: many })).toThrow('more than 256 combinations')
})
