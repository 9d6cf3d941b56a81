/** Long texts of sessions, notebooks, milestones, commits and settings have pages of less than 100 KB, and all of a text can be reached. */
import { expect, test } from 'bun:test'
import { listEnvironments, setEnvironment } from '#features/environments/index.ts'
import { createIssue, createMilestone } from '#features/issues/index.ts'
import { remember } from '#features/memory/index.ts'
import { appendSession, createPull } from '#features/pulls/index.ts'
import { createCommit } from '#features/repos/index.ts'
import { createRuleset } from '#features/rulesets/index.ts'
import { createRunner } from '#features/runners/index.ts'
import { createProject } from '#features/workspaces/index.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const MAX_PAGE_BYTES = 100_000
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const reader = await forge.browser('ada')

async function open(path: string): Promise<string> {
  const { status, html } = await reader.open(path)
  expect([path, status]).toEqual([path, 200])
  expect([path, Buffer.byteLength(html) <= MAX_PAGE_BYTES]).toEqual([path, true])
  return html
}

/** Words that are there once each, from `w1` on. */
const words = (count: number): string =>
  Array.from({ length: count }, (_, at) => `w${at + 1} #1`).join(' ')

/** The words of all parts of a text. */
async function wordsFrom(first: string): Promise<string[]> {
  const found: string[] = []
  for (let next: string | undefined = first; next; ) {
    const html = await open(next)
    found.push(...[...html.matchAll(/\bw\d+\b/g)].map(([word]) => word))
    next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
  return found
}

const allOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `w${at + 1}`)

const cell = (source: string, outputs: object[]): object => ({
  cell_type: 'code',
  metadata: {},
  execution_count: 1,
  source: [source],
  outputs,
})
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [
    cell('draw()', [{ output_type: 'display_data', metadata: {}, data: { 'image/png': PIXEL } }]),
    cell('tell()', [
      {
        output_type: 'stream',
        name: 'stdout',
        text: Array.from({ length: 2_000 }, (_, at) => `w${at + 1} <&>\n`),
      },
    ]),
    ...Array.from({ length: 300 }, () => cell('bake()\n'.repeat(20), [])),
  ],
}
await forge.call(createCommit, ada, {
  repo: REPO,
  branch: 'main',
  message: 'Begin',
  files: [{ path: 'long.ipynb', action: 'put', content: JSON.stringify(notebook) }],
})
for (const branch of ['main', 'bake'])
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    ...(branch !== 'main' && { new_branch: branch }),
    message: `Go on\n\n${words(3_000)}`,
    files: [{ path: `${branch}.txt`, action: 'put', content: 'x' }],
  })

test('a notebook comes in parts, and its images have addresses of their own', async () => {
  const first = await open(`/${REPO}/blob/main/long.ipynb`)
  const picture = /<img src="([^"]+picture=0\.0)"/.exec(first)?.[1] ?? ''
  expect(first).not.toContain(PIXEL)
  const answer = await fetch(forge.url + picture)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(PIXEL)
  expect((await fetch(`${forge.url}/${REPO}/raw/main/long.ipynb?picture=1.0`)).status).toBe(404)
  expect(await wordsFrom(`/${REPO}/blob/main/long.ipynb`)).toEqual(allOf(2_000))
})

test('the message of a commit is shown whole on a page of its own', async () => {
  const list = await open(`/${REPO}/commits/main`)
  const commit = /href="([^"]+\/commit\/[0-9a-f]{40})"/.exec(list)?.[1] ?? ''
  expect(await open(commit)).toContain(`href="${commit}/message"`)
  expect(await wordsFrom(`${commit}/message`)).toEqual(allOf(3_000))
})

test('the list of milestones leads to the whole description of a long one', async () => {
  for (let at = 0; at < 25; at++)
    await forge.call(createMilestone, ada, {
      repo: REPO,
      title: `${at}`,
      description: words(4_000),
    })
  const list = await open(`/${REPO}/milestones`)
  const whole = /<a href="([^"]+)">Show the whole text<\/a>/.exec(list)?.[1] ?? ''
  expect(await wordsFrom(whole)).toEqual(allOf(4_000))
})

test('a session comes in parts, of which one that goes on shows the last first', async () => {
  const begun = await forge.call(createPull, ada, { repo: REPO, title: 'Bake', branch: 'bake' })
  const { number } = begun.pull
  for (let at = 0; at < 4; at++)
    await forge.call(appendSession, ada, {
      repo: REPO,
      number,
      entries: Array.from({ length: 20 }, (_, by) => ({
        kind: by % 2 === 0 ? 'message' : 'tool',
        text: words(3_000),
        ...(by % 2 === 1 && { tool: 'read' }),
      })),
    })
  const here = `/${REPO}/pull/${number}/session`
  const entriesOf = (html: string): number[] =>
    [...html.matchAll(/ id="entry-(\d+)"/g)].map(([, seq]) => Number(seq))
  const last = await open(here)
  expect(entriesOf(last).at(-1)).toBe(80)
  const found = new Set<number>()
  for (let next: string | undefined = `${here}?after=0`; next; ) {
    const html: string = await open(next)
    for (const seq of entriesOf(html)) found.add(seq)
    next = /<a href="([^"]+)">Show later entries<\/a>/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(found.size).toBe(80)
  expect(last).toContain(`${here}/entry/`)
  expect(await wordsFrom(`${here}/entry/1`)).toEqual(allOf(3_000))
  expect(await wordsFrom(`${here}/entry/2`)).toEqual(allOf(3_000))
})

/** Patterns that are there once each, from `p1/` on. */
const patterns = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `p${at + 1}/${'long/'.repeat(28)}`)

test('rulesets and environments with many patterns show some of them, and the form of one has all', async () => {
  for (let at = 0; at < 30; at++) {
    await forge.call(createRuleset, ada, {
      repo: REPO,
      name: `Rules ${at}`,
      rules: [{ type: 'deletion' }],
      conditions: {
        ref_name: { include: patterns(100).map((name) => `refs/heads/${name}`), exclude: [] },
      },
    })
    await forge.call(setEnvironment, ada, {
      repo: REPO,
      environment: `kitchen-${at}`,
      branches: patterns(50),
    })
  }
  expect(await open(`/${REPO}/settings/rulesets`)).not.toContain('p9/')
  const environments = `/${REPO}/settings/environments`
  expect(await open(environments)).toContain('more')
  const [environment] = (await forge.call(listEnvironments, ada, { repo: REPO })).items
  const form = await open(`${environments}?edit=${environment?.id}`)
  for (const name of patterns(50)) expect(form).toContain(name)
})

test('an entry of the audit log shows the beginning of a long change, and a link shows all of it', async () => {
  const log = await open('/acme/-/audit')
  expect(log).not.toContain('p90/')
  const href = /href="([^"]*whole=[^"]+)"/.exec(log)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const whole = await open(href)
  // The browser scrolls to the entry, which is unfolded.
  expect(whole).toContain(`id="${href.split('#')[1]}"`)
  expect(whole).toContain('<details class="row-more" open>')
  for (const name of patterns(50)) expect(whole).toContain(name)
})

test('a project board shows as many labels of a card as all cards have room for', async () => {
  await forge.call(createProject, ada, {
    workspace: 'acme',
    slug: 'oven',
    name: 'Oven',
    repos: [REPO],
  })
  const labels = Array.from({ length: 40 }, (_, at) => `label-${at}`)
  for (let at = 0; at < 30; at++)
    await forge.call(createIssue, ada, { repo: REPO, title: `Issue ${at}`, labels })
  const board = await open('/acme/-/projects/oven')
  for (let at = 0; at < 30; at++) expect(board).toContain(`>Issue ${at}<`)
})

test('a list of memories shows the beginning of a long one, and a link shows the whole', async () => {
  const text = `${'Dough rests. '.repeat(140)}last word`
  for (let at = 0; at < 12; at++)
    await forge.call(remember, ada, { repo: REPO, kind: 'fact', text: `${at} ${text}` })
  const list = await open(`/${REPO}/memory`)
  expect(list.split('<main')[1]).not.toContain('last word')
  const href = /href="([^"]*whole=[^"]+)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect((await open(href)).match(/last word/g)).toHaveLength(1)
})

test('a runner shows the first of many labels, and a link shows all', async () => {
  const labels = Array.from({ length: 40 }, (_, at) => `label-${at}-${'long'.repeat(9)}`)
  await forge.call(createRunner, ada, { repo: REPO, name: 'Oven', labels })
  const list = await open(`/${REPO}/settings/runners`)
  expect(list).not.toContain('label-39-')
  const href = /href="([^"]*whole=[^"]+)">\d+ more labels/.exec(list)?.[1] ?? ''
  const whole = await open(href.replaceAll('&amp;', '&'))
  for (const label of labels) expect(whole).toContain(label)
})

test('code owners have pages, which have every rule once', async () => {
  const rules = Array.from({ length: 600 }, (_, at) => `/folder-${at}/ @ada`)
  await forge.call(createCommit, ada, {
    repo: REPO,
    branch: 'main',
    message: 'Say who owns what',
    files: [{ path: 'CODEOWNERS', action: 'put', content: rules.join('\n') }],
  })
  const found: string[] = []
  for (let next: string | undefined = `/${REPO}/code-owners`; next; ) {
    const html = await open(next)
    found.push(
      ...[...html.matchAll(/<code>(\/folder-\d+\/)<\/code>/g)].map(([, path = '']) => path),
    )
    next = /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(found).toEqual(rules.map((rule) => rule.split(' ')[0] ?? ''))
})
