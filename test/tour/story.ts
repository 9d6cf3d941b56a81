/**
 * A forge with something of everything in it, for whatever visits all pages. It goes through REST
 * and git only, as any client would.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fill } from '../../scripts/demo.ts'
import { git, withToken } from '../../scripts/support/git.ts'
import { publishPackage } from './package-story.ts'
import { findFaults, type Findings } from './security-story.ts'

/** Names and contents that addresses, tables and readers of files stumble over. */
const ODD: Record<string, string | Uint8Array> = {
  'README.md':
    '# Odd\n\n[spaces](a%20file.txt) ![picture](dot.svg) [deep](a/b/c/d/e/f/deep.txt) [hash](hash%23tag.txt)\n',
  'a file.txt': 'spaces\n',
  'hash#tag.txt': 'hash\n',
  'what?.md': '# What\n',
  '100%.txt': 'per cent\n',
  '%20.txt': 'encoded\n',
  'straße ☕.txt': 'ß\n',
  'quote"and<b>.txt': 'markup\n',
  'a dir/ünï/q&a=1+2.txt': 'query\n',
  '-dash': 'option\n',
  'empty.txt': '',
  'crlf.txt': 'one\r\ntwo\r\n',
  'no-newline.txt': 'end',
  'bytes.bin': new Uint8Array([0, 1, 2, 255, 0]),
  'latin1.txt': new Uint8Array([0xe9, 0x74, 0xe9, 0x0a]),
  'dot.svg':
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>\n',
  'a/b/c/d/e/f/deep.txt': 'deep\n',
  'long.txt': `${'x'.repeat(9_000)}\n`,
  'many.ts': Array.from({ length: 1_200 }, (_, line) => `const line_${line} = ${line}\n`).join(''),
  'breads.csv': 'bread,target,minutes\nRye,250,55\n"Brioche, sweet",180,35\n',
  'notes.ipynb': JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' } },
    cells: [
      { cell_type: 'markdown', metadata: {}, source: ['## Heat\n'] },
      {
        cell_type: 'code',
        metadata: {},
        execution_count: 1,
        source: ['print(230)\n'],
        outputs: [{ output_type: 'stream', name: 'stdout', text: ['230\n'] }],
      },
    ],
  }),
  CODEOWNERS: '* @ada\n/src/ @bakery/bakers\n',
}
export const BRANCH = 'feature/some/branch'

async function pushOddities(remote: string): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'hearth-odd-'))
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), content)
  }
  await git(work, 'init', '-q', '-b', 'main')
  for (const [path, content] of Object.entries(ODD)) write(path, content)
  symlinkSync('README.md', join(work, 'link'))
  await git(work, 'add', '-A')
  await git(work, 'update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},vendor/lib`)
  await git(work, 'commit', '-q', '-m', 'Odd files')
  await git(work, 'checkout', '-q', '-b', BRANCH)
  await git(work, 'mv', 'what?.md', 'what now?.md')
  write('hash#tag.txt', 'hash\nmore\n')
  write('crlf.txt', 'one\r\n2\r\n')
  write('bytes.bin', new Uint8Array([0, 9]))
  await git(work, 'rm', '-q', 'empty.txt')
  await git(work, 'add', '-u')
  await git(work, 'update-index', '--add', '--cacheinfo', `160000,${'b'.repeat(40)},vendor/lib`)
  await git(
    work,
    'commit',
    '-q',
    '-m',
    `A subject ${'that goes on and on '.repeat(9)}\n\nBody with <b>markup</b>`,
  )
  await git(work, 'tag', 'v1.0/rc')
  await git(work, 'push', '-q', remote, 'main', BRANCH, 'v1.0/rc')
  const commit = (await git(work, 'rev-parse', 'HEAD')).trim()
  rmSync(work, { recursive: true })
  return commit
}

/** Two branches that changed the same line, of which one is to be merged into the other. */
async function pushConflict(remote: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'hearth-clash-'))
  const lines = (third: string) =>
    Array.from({ length: 12 }, (_, at) => `${at === 2 ? third : `line ${at + 1}`}\n`).join('')
  await git(work, 'init', '-q', '-b', 'main')
  for (const [branch, third] of [
    ['main', 'line 3'],
    ['heat', 'two hundred and thirty'],
    ['steam', 'two hundred and fifty'],
  ] as const) {
    if (branch !== 'main') await git(work, 'checkout', '-q', '-b', branch, 'main')
    writeFileSync(join(work, 'target.txt'), lines(third))
    await git(work, 'add', '-A')
    await git(work, 'commit', '-q', '-m', `Set ${branch}`)
  }
  await git(work, 'push', '-q', remote, 'main', 'heat', 'steam')
  rmSync(work, { recursive: true })
}

const WORKFLOW = `name: Bake
on:
  push:
  workflow_dispatch:
    inputs:
      heat: { description: Degrees, default: '230' }
jobs:
  bake:
    runs-on: ubuntu-latest
    steps:
      - name: Heat the oven
        run: |
          echo "heating to 230"
          echo "::warning file=README.md,line=1::Hot"
  deliver:
    needs: bake
    runs-on: [self-hosted, van]
    steps:
      - run: echo on the road
`

async function pushWorkflow(remote: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'hearth-timer-'))
  await git(work, 'init', '-q', '-b', 'main')
  mkdirSync(join(work, '.hearth/workflows'), { recursive: true })
  writeFileSync(join(work, '.hearth/workflows/bake.yml'), WORKFLOW)
  writeFileSync(join(work, 'README.md'), '# Timer\n')
  await git(work, 'add', '-A')
  await git(work, 'commit', '-q', '-m', 'Bake on each push')
  await git(work, 'push', '-q', remote, 'main')
  rmSync(work, { recursive: true })
}

/** Whose ids are in addresses. */
export type Story = Findings & {
  readonly run: string
  readonly job: string
  readonly workflow: string
  readonly commit: string
  readonly ruleset: string
  readonly plan: string
  readonly hook: string
  readonly release: string
}

/**
 * Asks the forge over REST as whoever holds the token. Gives an Error with the answer when it
 * refuses.
 */
export const asker =
  (url: string, token: string) =>
  async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  }

type Ask = ReturnType<typeof asker>

/** A run whose first job is through. The second waits for a runner that is never there. */
async function runWorkflow(ask: Ask): Promise<Pick<Story, 'run' | 'job' | 'workflow'>> {
  const of = '/repos/bakery/timer/actions'
  for (const end = Date.now() + 120_000; Date.now() < end; await Bun.sleep(100)) {
    const [run] = (await ask('GET', `${of}/runs`)) as unknown as {
      id: string
      workflow_id: string
    }[]
    const jobs = run
      ? ((await ask('GET', `${of}/runs/${run.id}/jobs`)) as unknown as {
          id: string
          name: string
          status: string
        }[])
      : []
    const job = jobs.find(({ name, status }) => name === 'bake' && status === 'completed')
    if (run && job) return { run: run.id, job: job.id, workflow: run.workflow_id }
  }
  throw new Error('the job of the story did not end within two minutes')
}

/** Insights begin with a note until a job has counted the history. */
async function countHistory(ask: Ask): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await Bun.sleep(100))
    if ((await ask('GET', '/repos/bakery/oven/commit-activity')).complete === true) return
  throw new Error('the history of the story was not counted within two minutes')
}

/** A wiki page that comes in parts. */
const LONG_TEXT = Array.from(
  { length: 60 },
  (_, at) =>
    `## Recipe ${at + 1}\n\n1. Mix it.\n2. Bake it.\n\n${'Weigh *flour* and water, and let the dough rest until it has doubled. '.repeat(20)}\n\n`,
).join('')

/** The pages of a wiki: slug, title, text. */
const WIKI_PAGES = [
  ['Home', 'Home', 'Begin here.'],
  [
    'Home',
    'Home',
    'Recipes of the bakery, and how we write them down.\n\n## For beginners\n\n- [[Sourdough starter]]\n- [[How to weigh|Weighing]]\n\n| Flour | Water |\n| --- | --- |\n| 500 g | 350 g |\n',
  ],
  [
    'Sourdough-starter',
    'Sourdough starter',
    'Feed it **every day**:\n\n```sh\nfeed --flour 50 --water 50\n```\n',
  ],
  ['Weighing', 'Weighing', 'Grams, never cups.'],
  ['_Sidebar', 'Sidebar', '**Recipes**\n\n- [[Home]]\n- [[Sourdough starter]]\n'],
  ['_Footer', 'Footer', 'Questions? Open an issue in [oven](/bakery/oven/issues).'],
] as const

/** Fills an empty forge whose first account, `ada`, has the token. */
export async function tellStory(url: string, token: string): Promise<Story> {
  await fill(url, token)
  const ask = asker(url, token)
  const id = async (path: string, body: unknown): Promise<string> =>
    String((await ask('POST', path, body)).id)
  await ask('POST', '/workspaces/bakery/teams', { name: 'Bakers', description: 'Up at three.' })
  await ask('POST', '/workspaces/bakery/teams', { name: 'Ovens', parent: 'bakers' })
  await ask('PUT', '/workspaces/bakery/teams/bakers/repos/bakery/oven', { role: 'write' })
  await ask('POST', '/workspaces/bakery/projects', {
    slug: 'baking',
    name: 'Baking',
    description: 'What is done before the shop opens.',
    repos: ['bakery/oven', 'bakery/recipes'],
  })
  await ask('POST', '/repos/bakery/oven/agents', { name: 'crumb' })
  await ask('POST', '/repos/bakery/oven/collaborators', {
    invitee: 'guest@example.com',
    role: 'read',
  })
  await ask('POST', '/repos/bakery/oven/milestones', {
    title: 'Second loaf',
    description: 'Steam, and a timer.',
    due_on: '2031-05-01T00:00:00Z',
  })
  await ask('POST', '/repos/bakery/oven/issues/4/comments', {
    body: 'Does it hold for a target below the step?',
  })
  const release = await id('/repos/bakery/oven/releases', {
    tag_name: 'v0.1.0',
    name: 'The first loaf',
    body: 'It heats.\n\n- One direction: up\n',
  })
  await ask('POST', '/repos/bakery/oven/actions/variables', {
    setting: 'REGION',
    value: 'eu-west',
    note: 'Where the shop runs',
  })
  await ask('POST', '/repos/bakery/oven/actions/secrets', {
    setting: 'DEPLOY_KEY',
    value: 'a key that no page shows',
    environments: ['production'],
  })
  await ask('PUT', '/repos/bakery/oven/environments/production', {
    reviewers: ['bakery/bakers'],
    wait_minutes: 10,
    branches: ['main'],
  })
  const plan = await id('/repos/bakery/oven/plans', {
    brief: 'A timer that rings.\n\nThe oven must not open by itself.',
    issues: [
      { title: 'Count the minutes', checks: ['npm test'], size: 'small', paths: ['src/timer.ts'] },
      { title: 'Ring the bell', depends_on: [1], labels: ['bug'], body: 'Three times.' },
    ],
  })
  await ask('POST', '/repos/bakery/oven/memory', {
    text: 'The thermostat counts in tenths of a degree.',
    kind: 'gotcha',
    pinned: true,
    paths: ['src/oven.ts'],
  })
  await ask('POST', '/repos/bakery/oven/memory', {
    text: 'Commits name the part of the oven that they change.',
    kind: 'convention',
    scope: 'workspace',
  })
  const hook = await id('/repos/bakery/oven/hooks', {
    url: 'https://hooks.example.com/oven',
    events: ['pull.merged'],
  })
  const ruleset = await id('/repos/bakery/recipes/rulesets', {
    name: 'Main stays',
    rules: [{ type: 'deletion' }],
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
  })
  for (const [slug, title, body] of WIKI_PAGES)
    await ask('PUT', `/repos/bakery/recipes/wiki/${slug}`, { title, body })
  await ask('POST', '/repos', { workspace: 'bakery', name: 'odd', private: false })
  await ask('PUT', '/repos/bakery/odd/wiki/Recipes', { title: 'Recipes', body: LONG_TEXT })
  const commit = await pushOddities(`${withToken(url, token)}/bakery/odd.git`)
  await ask('POST', '/repos', { workspace: 'bakery', name: 'clash', private: true })
  await pushConflict(`${withToken(url, token)}/bakery/clash.git`)
  await ask('POST', '/repos/bakery/clash/pulls', {
    branch: 'heat',
    base: 'steam',
    title: 'One target',
  })
  await ask('POST', '/repos', { workspace: 'bakery', name: 'timer', private: false })
  await pushWorkflow(`${withToken(url, token)}/bakery/timer.git`)
  await publishPackage(url, token)
  const findings = await findFaults(ask)
  await countHistory(ask)
  return { commit, ruleset, hook, release, plan, ...findings, ...(await runWorkflow(ask)) }
}
