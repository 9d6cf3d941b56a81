import { expect, test } from 'bun:test'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'

const REPO = { repo: 'acme/site' } as const
const FILE = '.hearth/workflows/ci.yml'

async function makeJobsWorld() {
  const world = await makeWorld({ jobs: { ...testJobs, local: true } })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.workspace('tools', { owner: ada })
  await world.repo(REPO.repo, { as: ada })
  return {
    world,
    ada,
    /** Pushes a workflow of these steps, runs its job and gives its result and its log. */
    async run(steps: string, branch = 'main') {
      const file = `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`
      await world.commit(REPO.repo, branch, { [FILE]: file }, { as: ada })
      await world.jobs()
      const [run] = (await world.call(listRuns, ada, REPO)).items
      const [job] = (await world.call(listJobs, ada, { ...REPO, id: run?.id ?? '' })).items
      const { lines } = await world.call(getJobLog, ada, { ...REPO, id: job?.id ?? '' })
      return { conclusion: job?.conclusion, text: lines.map(({ text }) => text).join('\n') }
    },
  }
}

test('checkout makes a repository with the history that the step asks for', async () => {
  const { world, ada, run } = await makeJobsWorld()
  await world.commit(REPO.repo, 'main', { 'a.txt': 'a' }, { as: ada, message: 'First' })
  await world.commit(REPO.repo, 'other', { 'b.txt': 'b' }, { as: ada, message: 'Elsewhere' })
  const { conclusion, text } = await run(`      - uses: actions/checkout@v4
        with: { fetch-depth: 0 }
      - run: |
          git status --short --branch
          git log --format='subject %s'
          git branch -r
          git cat-file -t origin/other
          echo "config $(cat .git/config)"
      - uses: actions/checkout@v4
        with: { path: plain, fetch-depth: 1, ref: other, persist-credentials: false }
      - run: cat plain/b.txt; git -C plain rev-list --count HEAD; cat plain/.git/config
`)
  expect(text).toContain('## main')
  expect(text).toMatch(/subject First/)
  expect(text).toContain('origin/other')
  expect(text).not.toMatch(/^ D /m)
  // The token is in the repository, and hidden in the log.
  expect(text).toContain('extraheader = AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46***')
  expect(text.match(/extraheader/g)).toHaveLength(1)
  expect(conclusion).toBe('success')
})

test('a step that names the depth of one commit has a repository for programs that call git', async () => {
  const { run } = await makeJobsWorld()
  // The name of the program does not stand in the script as it does where one calls it.
  const count = 'program=git; "$program" rev-list --count HEAD || echo none'
  const { text } = await run(`      - uses: actions/checkout@v4
      - run: ${count}
      - uses: actions/checkout@v4
        with: { fetch-depth: 1, clean: false }
      - run: ${count}
`)
  expect(text.match(/^(?:none|\d+)$/gm)).toEqual(['none', '1'])
})

test('actions of public repositories of the forge run, those of private ones do not', async () => {
  const { world, ada, run } = await makeJobsWorld()
  const action = `name: Greet
description: Says hello
inputs: { who: { default: nobody } }
outputs: { said: { value: '\${{ steps.say.outputs.said }}' } }
runs:
  using: composite
  steps:
    - id: say
      shell: bash
      run: cat "$GITHUB_ACTION_PATH/greeting.txt"; echo "said=\${{ inputs.who }}" >>"$GITHUB_OUTPUT"
`
  for (const [name, options] of [
    ['tools/greet', { as: ada }],
    ['tools/hidden', { as: ada, private: true }],
  ] as const) {
    await world.repo(name, options)
    await world.commit(
      name,
      'main',
      { 'sub/action.yml': action, 'sub/greeting.txt': 'hello from tools\n' },
      { as: ada },
    )
  }
  const { conclusion, text } = await run(`      - id: greet
        uses: tools/greet/sub@main
        with: { who: you }
      - run: echo "got \${{ steps.greet.outputs.said }}"
      - uses: tools/hidden/sub@main
`)
  expect(text).toContain('hello from tools')
  expect(text).toContain('got you')
  expect(conclusion).toBe('failure')
  expect(text).toContain('##[error]tools/hidden: an agent may act only in the repository')
})
