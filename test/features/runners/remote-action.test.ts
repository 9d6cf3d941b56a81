/** Actions from another forge, which is a second Hearth with its real doors. */
import { afterAll, expect, test } from 'bun:test'
import { getJobLog } from '#features/workflows/jobs/get-job-log.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { serveSite } from '../../web/visitor.ts'
import { testJobs } from '../../settings.ts'
import { makeWorld } from '../../world.ts'

const REPO = { repo: 'acme/site' } as const

const greet = (word: string): string => `name: Greet
description: Says hello
runs:
  using: composite
  steps:
    - shell: bash
      run: cat "$GITHUB_ACTION_PATH/text.txt"; echo "${word} from ${'$'}{{ github.repository }}"
`

/** A forge with the action `tools/greet`, and one whose jobs get actions from there. */
async function makeForges() {
  const other = await makeWorld()
  const eve = await other.user('eve')
  await other.workspace('tools', { owner: eve })
  await other.repo('tools/greet', { as: eve })
  const push = async (word: string): Promise<void> => {
    const files = {
      'action.yml': greet(word),
      'sub/action.yml': greet(`sub ${word}`),
      'sub/text.txt': '',
      'text.txt': '',
    }
    await other.commit('tools/greet', 'v1', files, { as: eve })
  }
  await push('first')
  const site = serveSite(other)
  const way = { isOpen: true, isBroken: false }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      if (!way.isOpen) return new Response('away', { status: 503 })
      const { pathname, search } = new URL(request.url)
      if (way.isBroken && pathname.includes('/archive/')) return new Response('no archive')
      const { method, headers } = request
      const body = method === 'POST' ? await request.arrayBuffer() : null
      return fetch(`${site.url}${pathname}${search}`, { method, headers, body, redirect: 'manual' })
    },
  })
  afterAll(() => server.stop(true))
  const url = `http://127.0.0.1:${server.port}`
  const world = await makeWorld({
    jobs: { ...testJobs, local: true, actions_from: [url] },
    outbound_allow: ['http://127.0.0.1'],
  })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo(REPO.repo, { as: ada })
  return {
    world,
    ada,
    push,
    way,
    async run(...uses: readonly string[]) {
      const steps = uses.map((name) => `      - uses: ${name}\n`).join('')
      const file = `on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`
      await world.commit(REPO.repo, 'main', { '.hearth/workflows/ci.yml': file }, { as: ada })
      await world.jobs()
      const [run] = (await world.call(listRuns, ada, REPO)).items
      const [job] = (await world.call(listJobs, ada, { ...REPO, id: run?.id ?? '' })).items
      const { lines } = await world.call(getJobLog, ada, { ...REPO, id: job?.id ?? '' })
      return { conclusion: job?.conclusion, text: lines.map(({ text }) => text).join('\n') }
    },
  }
}

test('actions come from another forge, by their branch, also while it is away', async () => {
  const { run, push, way } = await makeForges()
  const first = await run('tools/greet@v1', 'tools/greet/sub@v1')
  expect(first.text).toMatch(
    /Download action repository 'tools\/greet@v1' from 127\S+ \(SHA:[0-9a-f]{40}\)/,
  )
  expect(first.text.match(/Download action/g)).toHaveLength(1)
  expect(first.text).toContain('\nfirst from acme/site')
  expect(first.text).toContain('\nsub first from acme/site')
  expect(first.conclusion).toBe('success')
  await push('second')
  const second = await run('tools/greet@v1')
  expect(second.text).toContain('\nsecond from acme/site')
  way.isOpen = false
  const third = await run('tools/greet@v1')
  expect(third.text).toContain('as it was last, because')
  expect(third.text).toContain('\nsecond from acme/site')
  expect(third.conclusion).toBe('success')
  const other = await run('tools/greet@v2')
  expect(other.text).toContain('##[error]tools/greet could not be fetched from http://127')
  expect(other.conclusion).toBe('failure')
}, 120_000)

test('what is no archive is not kept', async () => {
  const { run, way } = await makeForges()
  way.isBroken = true
  expect((await run('tools/greet@v1')).conclusion).toBe('failure')
  way.isBroken = false
  expect((await run('tools/greet@v1')).text).toContain('\nfirst from acme/site')
}, 120_000)

test('what is nowhere is named, and names of this forge never come from elsewhere', async () => {
  const { world, ada, run } = await makeForges()
  const missing = await run('tools/missing@v1')
  expect(missing.text).toMatch(
    /##\[error\]tools\/missing is neither on this forge nor at http:\/\/127/,
  )
  const unknown = await run('tools/greet@v9')
  expect(unknown.text).toContain('##[error]tools/greet has no branch and no tag v9 at http://127')
  await world.workspace('tools', { owner: ada })
  await world.repo('tools/greet', { as: ada, private: true })
  const hidden = await run('tools/greet@v1')
  expect(hidden.conclusion).toBe('failure')
  expect(hidden.text).not.toContain('from acme/site')
}, 120_000)
