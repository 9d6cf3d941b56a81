/** The pages of runs, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import type { Feature } from '#core/hearth.ts'
import {
  finishJob,
  jobLogs,
  reportSteps,
  takeQueuedJob,
  workflowRunners,
} from '#features/workflows/index.ts'
import { extend, FILE, ONE_JOB, RUNNER } from '../../features/workflows/fixture.ts'
import { features } from '#features/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const LINES = [
  '##[group]Run <make>',
  '##[endgroup]',
  '##[error]It <broke>',
  'all \u001b[32mgreen\u001b[0m <b>bold</b>',
]

/** What a feature with runners adds. */
const RUNNERS = [
  workflowRunners.with({ name: 'local', accepts: (_, labels) => RUNNER.accepts(labels) }),
  jobLogs.with(async (_, job, from) => ({
    lines: from > job.log_lines ? [] : LINES.map((text, index) => ({ n: index + 1, at: 0, text })),
    next: null,
  })),
]

async function setUp() {
  // The forge of the pages is a copy, so its features are complete from the start.
  const all = features as Feature[]
  all.unshift({ name: 'runners of a test', extensions: RUNNERS })
  const forge = await runForge()
  all.shift()
  const { hearth } = forge
  extend(hearth, [])
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  return {
    forge,
    hearth,
    ada,
    browser: await forge.browser('ada'),
    visitor: await forge.browser(null),
    push: async (files: Record<string, string>) => {
      await forge.commit('acme/site', 'main', files, { as: ada, message: 'Bake <bread>' })
      await forge.jobs()
    },
  }
}

const runOf = (html: string): string =>
  /\/acme\/site\/runs\/(run_[0-9a-z]{26})/.exec(html)?.[1] ?? ''

test('a run is listed, shown with its jobs, cancelled and run again', async () => {
  const { forge, hearth, browser, visitor, push } = await setUp()
  expect((await browser.open('/acme/site/runs')).html).toContain('Add a workflow file')
  await push({ [FILE]: ONE_JOB })
  const list = await visitor.open('/acme/site/runs')
  expect([list.status, list.html.includes('Bake &lt;bread')]).toEqual([200, true])
  const id = runOf(list.html)
  const here = `/acme/site/runs/${id}`
  const seen = await visitor.open(here)
  expect([seen.status, seen.html.includes('Cancel run')]).toEqual([200, false])

  const job = await takeQueuedJob(hearth, RUNNER)
  await reportSteps(
    hearth,
    job?.id ?? '',
    [
      {
        number: 1,
        name: 'make',
        status: 'in_progress',
        conclusion: null,
        started_at: null,
        finished_at: null,
        log_from: 1,
        log_to: null,
      },
    ],
    { bytes: 80, lines: LINES.length, state: 'live' },
  )
  const jobPage = await browser.open(`${here}/job/${job?.id}`)
  expect(jobPage.html).toContain('<span class="ansi-green">green</span>')
  expect(jobPage.html).toContain('&lt;b')
  expect(jobPage.html).toContain('Run &lt;make')
  expect(jobPage.html).toMatch(/job-log-line ansi-red[^>]*>.*It &lt;broke/s)
  expect(jobPage.html).not.toContain('##[')
  expect(jobPage.html).not.toContain('<b>bold')
  expect(jobPage.html).toContain(`action="${here}/cancel"`)
  expect((await browser.open(`${here}/job/${job?.id}.log`)).html).toBe(`${LINES.join('\n')}\n`)

  const found = await browser.open(`${here}/job/${job?.id}?grep=%3Cbroke`)
  expect(found.html).toContain('It &lt;broke')
  expect(found.html).not.toContain('ansi-green')
  const wrong = await browser.open(`${here}/job/${job?.id}?grep=%28`)
  expect([wrong.status, wrong.html.includes('is no RE2 expression')]).toEqual([200, true])

  await finishJob(hearth, job?.id ?? '', { conclusion: 'failure', reason: null, outputs: {} })
  await forge.jobs()
  expect((await browser.open(`${here}/job/${job?.id}`)).html).toContain(
    '<code>hearth run .hearth/workflows/',
  )
  const ended = await browser.open(here)
  expect(ended.html).toContain('Rerun failed jobs')
  expect((await browser.press(ended.html, `${here}/rerun-failed`, {})).status).toBe(303)
  await forge.jobs()
  const again = await browser.open(here)
  expect([again.html.includes('Attempt 2'), again.html.includes('Cancel run')]).toEqual([
    true,
    true,
  ])
  expect((await browser.press(again.html, `${here}/cancel`, {})).status).toBe(303)
  expect((await browser.open(here)).html).toContain('Cancelled')
  expect((await browser.open(`${here}?attempt=1`)).html).toContain('Failed')
  // The list narrows to how runs ended, and says so when none did.
  const all = '/acme/site/runs'
  const failed = await browser.open(`${all}?conclusion=failure&branch=main`)
  expect([runOf(failed.html), failed.html.includes('No runs match')]).toEqual(['', true])
  expect(failed.html).not.toContain('No runs yet')
  expect(failed.html).toContain(`href="${all}?conclusion=failure"`)
  const cancelled = await browser.open(`${all}?conclusion=cancelled&event=push&actor=ada`)
  expect(runOf(cancelled.html)).toBe(id)
  expect(cancelled.html).toContain(`href="${all}?branch=main"`)
  // Filters by branch, event and person keep each other.
  expect(cancelled.html).toContain(
    `href="${all}?conclusion=cancelled&amp;branch=main&amp;event=push&amp;actor=ada"`,
  )
  expect(cancelled.html).toContain(`href="${all}?conclusion=cancelled&amp;actor=ada"`)
  expect(cancelled.html).toContain('<input type="hidden" name="event" value="push">')
  // The commit links to its job.
  const commit = /\/acme\/site\/commit\/[0-9a-f]{40}/.exec(again.html)?.[0] ?? ''
  expect((await visitor.open(commit)).html).toContain('Test / build')
})

test('a file with errors is shown with its lines, and a workflow is started by hand', async () => {
  const { browser, push, forge, hearth } = await setUp()
  await push({ [FILE]: ONE_JOB, '.hearth/workflows/bad.yml': ONE_JOB.replace('steps:', 'stesp:') })
  const rows = hearth.db.all<{ id: string; path: string }>(
    'SELECT id, path FROM workflows ORDER BY path',
  )
  const [bad, good] = rows.map(({ id }) => `/acme/site/runs/workflow/${id}`)
  const shown = await browser.open(bad ?? '')
  expect([shown.status, shown.html.includes('stesp'), shown.html.includes('column')]).toEqual([
    200,
    true,
    true,
  ])
  const page = await browser.open(good ?? '')
  const refused = await browser.press(page.html, `${good}/dispatch`, { ref: 'nowhere' })
  expect([refused.status, refused.html.includes('nowhere')]).toEqual([422, true])
  const started = await browser.press(page.html, `${good}/dispatch`, { ref: 'main' })
  expect([started.status, started.location.includes('/runs/run_')]).toEqual([303, true])
  await forge.jobs()
  expect((await browser.open(started.location)).html).toContain('started by hand')
})

test('the form that starts a workflow has a field for each input of the file, with its default', async () => {
  const { browser, push, forge, hearth } = await setUp()
  const inputs = `
    inputs:
      heat: { description: Degrees, default: '230', type: number, required: true }
      crust: { type: choice, options: [soft, hard], default: hard }
      steam: { type: boolean, default: true }`
  await push({ [FILE]: ONE_JOB.replace(/^on:.*$/m, `on:\n  workflow_dispatch:${inputs}`) })
  const list = await browser.open('/acme/site/runs')
  expect(list.html).toContain('Choose a workflow to see them')
  expect(list.html).not.toContain('Add a workflow file')
  const row = hearth.db.one<{ id: string }>('SELECT id FROM workflows')
  const here = `/acme/site/runs/workflow/${row?.id}`
  const { html } = await browser.open(here)
  for (const text of ['name="inputs.heat"', 'value="230"', 'Degrees', 'name="inputs.steam"'])
    expect(html).toContain(text)
  expect(html).toMatch(/<option value="hard" selected>/)
  const fields = { ref: 'main', 'inputs.heat': 'warm', 'inputs.crust': 'soft', 'inputs.steam': '' }
  const refused = await browser.press(html, `${here}/dispatch`, fields)
  expect([refused.status, refused.html.includes('heat must be a number')]).toEqual([422, true])
  // What was typed is still there, also a box that was cleared.
  expect(refused.html).toContain('value="warm"')
  expect(refused.html).not.toMatch(/name="inputs.steam"[^>]* checked/)
  const started = await browser.press(html, `${here}/dispatch`, { ...fields, 'inputs.heat': '180' })
  expect([started.status, started.location.includes('/runs/run_')]).toEqual([303, true])
  await forge.jobs()
  const [run] = hearth.db.all<{ inputs: string }>('SELECT inputs FROM workflow_runs')
  expect(JSON.parse(run?.inputs ?? '')).toEqual({ heat: 180, crust: 'soft', steam: false })
})

test('of very long choices the form has a search, and starts with what was found', async () => {
  const { browser, push, forge, hearth } = await setUp()
  const options = Array.from({ length: 60 }, (_, at) => `option ${at} ${'long '.repeat(16)}end`)
  const inputs = Array.from(
    { length: 10 },
    (_, at) => `
      input${at}: { type: choice, options: [${options.join(', ')}], description: '${'Why. '.repeat(400)}' }`,
  ).join('')
  await push({
    [FILE]: ONE_JOB.replace(/^on:.*$/m, `on:\n  workflow_dispatch:\n    inputs:${inputs}`),
  })
  const row = hearth.db.one<{ id: string }>('SELECT id FROM workflows')
  const here = `/acme/site/runs/workflow/${row?.id}`
  const { html } = await browser.open(here)
  expect([Buffer.byteLength(html) <= 100_000, html.includes('option 47')]).toEqual([true, false])
  const found = await browser.press(html, `${here}/dispatch`, {
    find: 'inputs.input3',
    'find-inputs.input3': 'option 47',
  })
  expect([found.status, found.html.includes('option 47')]).toEqual([200, true])
  expect(hearth.db.one('SELECT count(*) AS n FROM workflow_runs')).toEqual({ n: 0 })
  const started = await browser.press(found.html, `${here}/dispatch`, {
    'inputs.input3': options[47] ?? '',
  })
  expect(started.location).toContain('/runs/run_')
  await forge.jobs()
  const [run] = hearth.db.all<{ inputs: string }>('SELECT inputs FROM workflow_runs')
  expect(JSON.parse(run?.inputs ?? '')).toMatchObject({ input2: options[0], input3: options[47] })
})

test('a badge says how the last run on a branch ended', async () => {
  const { hearth, push, browser, visitor, forge } = await setUp()
  await push({ [FILE]: ONE_JOB.replace('name: Test', 'name: <Test>') })
  const path = '/acme/site/actions/workflows/test.yml/badge.svg'
  expect((await visitor.open(path)).html).toContain('no status')
  const job = await takeQueuedJob(hearth, RUNNER)
  await finishJob(hearth, job?.id ?? '', { conclusion: 'failure', reason: null, outputs: {} })
  await forge.jobs()
  const { html, status } = await visitor.open(path)
  expect([status, html.includes('&lt;Test&gt;: failing'), html.includes('<Test>')]).toEqual([
    200,
    true,
    false,
  ])
  expect((await visitor.open(`${path}?branch=other`)).html).toContain('no status')
  expect((await browser.open(path.replace('test.yml', 'none.yml'))).status).toBe(404)
})

test('pages of a private repository are hidden', async () => {
  const { forge, visitor, ada } = await setUp()
  await forge.repo('acme/hidden', { as: ada, private: true })
  expect((await visitor.open('/acme/hidden/runs')).status).toBe(404)
  expect((await visitor.open('/acme/hidden/runs/live')).status).toBe(404)
})

test('a workflow without inputs starts from the list of runs, one with inputs from its page', async () => {
  const { browser, visitor, push } = await setUp()
  const byHand = (inputs: string) =>
    `name: Bake${inputs && ' to taste'}\non:\n  workflow_dispatch:\n${inputs}${ONE_JOB.slice(ONE_JOB.indexOf('jobs:'))}`
  await push({
    '.hearth/workflows/bake.yml': byHand(''),
    '.hearth/workflows/taste.yml': byHand('    inputs:\n      heat:\n        type: string\n'),
  })
  const list = (await browser.open('/acme/site/runs')).html
  const [, menu = ''] =
    /<details class="menu"[^>]*><summary[^>]*aria-label="Run workflow".*?<\/summary>(.*?)<\/details>/s.exec(
      list,
    ) ?? []
  const action = /action="(\/acme\/site\/runs\/workflow\/[^"]+\/dispatch)"/.exec(menu)?.[1] ?? ''
  expect(menu).toMatch(/Bake\s*<span class="menu-hint">On main/)
  expect(menu).toMatch(/<a href="\/acme\/site\/runs\/workflow\/[^"]+">.*Bake to taste/s)
  expect(menu.match(/<li>/g)).toHaveLength(2)
  const { status, location } = await browser.press(list, action, { ref: 'main' })
  expect([status, location]).toEqual([303, expect.stringMatching(/^\/acme\/site\/runs\/run_/)])
  expect((await visitor.open('/acme/site/runs')).html).not.toContain('Run workflow')
})

test('every one of 100 workflows is found, filtered by, and has its badge', async () => {
  const { browser, push } = await setUp()
  const fileOf = (at: number) => `.hearth/workflows/build-${String(at).padStart(3, '0')}.yml`
  const files = Array.from({ length: 100 }, (_, at): [string, string] => [
    fileOf(at),
    ONE_JOB.replace('name: Test', `name: Build ${at}`).replace('push, pull_request, ', ''),
  ])
  await push(Object.fromEntries(files))
  const idOf = (html: string, name: string) =>
    new RegExp(`/runs/workflow/(wfl_[0-9a-z]{26})"[^>]*>(?:(?!</a>).)*\\b${name}\\b`).exec(
      html,
    )?.[1]

  const list = await browser.open('/acme/site/runs')
  expect(idOf(list.html, 'Build 0')).toBeDefined()
  expect(idOf(list.html, 'Build 99')).toBeUndefined()
  expect(list.html.length).toBeLessThan(100_000)
  const found = await browser.open('/acme/site/runs?find=workflow&find-workflow=build+99')
  const id = idOf(found.html, 'Build 99') ?? ''
  expect(id).not.toBe('')
  expect(idOf(found.html, 'Build 0')).toBeUndefined()

  const page = await browser.open(`/acme/site/runs/workflow/${id}`)
  expect(page.html).toContain('build-099.yml')
  const narrowed = await browser.open(`/acme/site/runs?workflow=${id}`)
  expect(narrowed.html).toMatch(
    new RegExp(`<a href="/acme/site/runs/workflow/${id}" aria-current="page"`),
  )
  const badge = await browser.open('/acme/site/actions/workflows/build-099.yml/badge.svg')
  expect([badge.status, badge.html.includes('Build 99')]).toEqual([200, true])
})
