/** The page of a job: what it reported, parts of long logs, and what it waits for. */
import { expect, test } from 'bun:test'
import type { Feature } from '#core/hearth.ts'
import { features } from '#features/index.ts'
import { getRepoSettings } from '#features/repos/index.ts'
import {
  finishJob,
  jobLogs,
  reportSteps,
  takeQueuedJob,
  workflowRunners,
} from '#features/workflows/index.ts'
import { runForge } from '../../features/oauth/running.ts'
import { extend, FILE, ONE_JOB, RUNNER } from '../../features/workflows/fixture.ts'

const LINES = 5_000
const REPO = 'acme/site'

const RUNNERS = [
  workflowRunners.with({ name: 'local', accepts: (_, labels) => RUNNER.accepts(labels) }),
  jobLogs.with(async (_, job, from, count) => {
    const last = Math.min(job.log_lines, from + count - 1)
    const lines = Array.from({ length: Math.max(0, last - from + 1) }, (_unused, at) => ({
      n: from + at,
      at: 0,
      text: `text of ${from + at}.`,
    }))
    return { lines, next: last < job.log_lines ? last + 1 : null }
  }),
]

async function setUp(file = ONE_JOB) {
  const all = features as Feature[]
  all.unshift({ name: 'runners of a test', extensions: RUNNERS })
  const forge = await runForge()
  all.shift()
  extend(forge.hearth, [])
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { [FILE]: file }, { as: ada })
  await forge.jobs()
  const row = forge.hearth.db.one<{ id: string; run_id: string }>(
    'SELECT id, run_id FROM workflow_jobs ORDER BY seq LIMIT 1',
  )
  return {
    forge,
    ada,
    browser: await forge.browser('ada'),
    visitor: await forge.browser(null),
    run: `/${REPO}/runs/${row?.run_id}`,
    job: `/${REPO}/runs/${row?.run_id}/job/${row?.id}`,
  }
}

const step = (
  number: number,
  log_from: number,
  log_to: number,
  conclusion: 'success' | 'failure',
) =>
  ({
    number,
    name: `step ${number}`,
    status: 'completed',
    conclusion,
    started_at: null,
    finished_at: null,
    log_from,
    log_to,
  }) as const

const PLACE = { step: 2, end_line: null, column: null }

test('parts of a long log have addresses, and a line leads to its part', async () => {
  const { forge, visitor, job } = await setUp()
  const taken = await takeQueuedJob(forge.hearth, RUNNER)
  const id = taken?.id ?? ''
  await reportSteps(
    forge.hearth,
    id,
    [step(1, 1, 3_000, 'success'), step(2, 3_001, LINES, 'failure')],
    { bytes: 100_000, lines: LINES, state: 'packed' },
  )
  await finishJob(forge.hearth, id, { conclusion: 'failure', reason: null, outputs: {} })
  const shown = async (query: string) => {
    const { html } = await visitor.open(`${job}${query}`)
    const numbers = [...html.matchAll(/text of (\d+)\./g)].map(([, n]) => Number(n))
    return { html, numbers }
  }
  // The step that failed is open at its end, the other one is closed.
  const first = await shown('')
  expect([first.numbers.at(0), first.numbers.at(-1)]).toEqual([4_701, 5_000])
  expect(first.html).toContain('1700 lines above')
  const earlier = /href="[^"]*(\?step=2&amp;after=\d+)#step-2"[^>]*>Earlier/.exec(first.html)?.[1]
  const before = await shown((earlier ?? '').replace('&amp;', '&'))
  expect([before.numbers.at(0), before.numbers.at(-1)]).toEqual([3_701, 4_700])
  expect(before.html).toContain('Later lines')
  // The address of a line opens its step, and shows the part around it.
  const line = await shown('?line=1500')
  expect(line.html).toContain('id="line-1500"')
  expect(line.numbers.slice(0, 3)).toEqual([1_300, 1_301, 1_302])
  expect(line.html).toContain(`href="${job}?line=1500#line-1500"`)
  const found = await visitor.open(`${job}?grep=of%201500`)
  expect(found.html).toContain(`href="${job}?line=1500#line-1500"`)
  expect((await shown('?line=99999')).numbers.at(-1)).toBe(5_000)
})

test('errors, warnings and notices are told apart, and lead to their lines', async () => {
  const { forge, visitor, run, job } = await setUp()
  const taken = await takeQueuedJob(forge.hearth, RUNNER)
  await finishJob(forge.hearth, taken?.id ?? '', {
    conclusion: 'failure',
    reason: null,
    outputs: {},
    annotations: [
      {
        ...PLACE,
        level: 'failure',
        file: '/work/site/site/a.c',
        line: 3,
        title: 'Bad <type>',
        message: 'int',
      },
      { ...PLACE, level: 'warning', file: 'a.c', line: null, title: null, message: 'unused' },
      { ...PLACE, level: 'notice', file: null, line: null, title: null, message: 'done' },
    ],
  })
  for (const path of [run, job]) {
    const { html } = await visitor.open(path)
    expect(html).toMatch(/tone-bad.*aria-label="Error".*Bad &lt;type/s)
    expect(html).toMatch(/tone-wait.*aria-label="Warning".*unused/s)
    expect(html).toMatch(/tone-info.*aria-label="Notice".*done/s)
    expect(html).toMatch(/href="\/acme\/site\/blob\/[0-9a-f]{40}\/a\.c\?from=3#L3"/)
  }
})

test('a job that waits for a runner says what to do', async () => {
  const { visitor, run, job } = await setUp(ONE_JOB.replace('ubuntu-latest', 'macos-latest'))
  for (const path of [run, job]) {
    const { html } = await visitor.open(path)
    expect(html).toContain('There is no runner with the labels macos-latest.')
    expect(html).toContain('Add a runner')
    expect(html).toMatch(/\/blob\/[0-9a-f]{40}\/\.hearth\/workflows\/test\.yml"/)
    expect(html).not.toContain('Queued')
  }
})

test('the settings say when changes from outside run', async () => {
  const { forge, ada, browser } = await setUp()
  const here = `/${REPO}/settings`
  const settings = () => forge.call(getRepoSettings, ada, { repo: REPO })
  const { html } = await browser.open(here)
  const press = async (fields: Record<string, string>) =>
    (await browser.press(html, `${here}/runs`, fields)).status
  expect(await press({ outside_runs: 'approve_first' })).toBe(303)
  expect((await settings()).outside_runs).toBe('approve_first')
  expect((await settings()).workflows_enabled).toBe(true)
  expect((await browser.open(here)).html).toMatch(/<option value="approve_first" selected/)
})
