/** Every page with a small story in it: reachable, without a violation that axe-core finds, in both schemes, and no wider than a phone. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { fill } from '../../scripts/demo.ts'
import { api, git, startForge, visitor, withToken, type Forge } from './forge.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PASSWORD = 'correct horse battery'

let forge: Forge
let page: Page
let problems: string[]

beforeAll(async () => {
  forge = await startForge()
  ;({ page, problems } = await visitor())
  await page.goto(forge.setup ?? '')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=password]', PASSWORD)
  await page.click('main button')
  await page.goto(`${forge.url}/settings/tokens`)
  await page.fill('[name=name]', 'demo')
  await page.click('main form[action="/settings/tokens"] button[class*=primary]')
  const token = (await page.textContent('#token-secret'))?.trim() ?? ''
  await fill(forge.url, token)
  const ask = api(forge, token)
  const make = async (path: string, body: unknown, method = 'POST') => {
    const { status, body: answer } = await ask(method, `/v1${path}`, body)
    expect([path, status < 300, answer]).toEqual([path, true, answer])
  }
  await make('/workspaces/bakery/teams', { name: 'Bakers', description: 'Up at three.' })
  await make('/workspaces/bakery/teams', { name: 'Ovens', parent: 'bakers' })
  await make('/workspaces/bakery/teams/bakers/repos/bakery/oven', { role: 'write' }, 'PUT')
  await make('/repos/bakery/oven/agents', { name: 'crumb' })
  await make('/repos/bakery/oven/collaborators', { invitee: 'guest@example.com', role: 'read' })
  await make('/repos', { workspace: 'bakery', name: 'odd', private: false })
  await pushOddities(`${withToken(forge.url, token)}/bakery/odd.git`)
}, 60_000)

/** Names and contents that addresses, tables and readers of files stumble over. */
const ODD: Record<string, string | Uint8Array> = {
  'README.md': '# Odd\n\n[spaces](a%20file.txt) ![picture](dot.svg) [deep](a/b/c/d/e/f/deep.txt) [hash](hash%23tag.txt)\n',
  'a file.txt': 'spaces\n', 'hash#tag.txt': 'hash\n', 'what?.md': '# What\n', '100%.txt': 'per cent\n', '%20.txt': 'encoded\n', 'straße ☕.txt': 'ß\n', 'quote"and<b>.txt': 'markup\n',
  'a dir/ünï/q&a=1+2.txt': 'query\n', '-dash': 'option\n', 'empty.txt': '', 'crlf.txt': 'one\r\ntwo\r\n', 'no-newline.txt': 'end', 'bytes.bin': new Uint8Array([0, 1, 2, 255, 0]),
  'latin1.txt': new Uint8Array([0xe9, 0x74, 0xe9, 0x0a]), 'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>\n',
  'a/b/c/d/e/f/deep.txt': 'deep\n', 'long.txt': `${'x'.repeat(9_000)}\n`, 'many.ts': Array.from({ length: 6_000 }, (_, line) => `const line_${line} = ${line}\n`).join(''),
}
const BRANCH = 'feature/some/branch'

async function pushOddities(remote: string): Promise<void> {
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
  await git(work, 'commit', '-q', '-m', `A subject ${'that goes on and on '.repeat(9)}\n\nBody with <b>markup</b>`)
  await git(work, 'tag', 'v1.0/rc')
  await git(work, 'push', '-q', remote, 'main', BRANCH, 'v1.0/rc')
}

const REPO = '/bakery/oven'
const fileAt = (path: string, view = 'blob', ref = 'main'): string => `/bakery/odd/${view}/${ref}/${path.split('/').map(encodeURIComponent).join('/')}`
const PAGES = [
  '/settings/profile', '/settings/emails', '/settings/security', '/settings/sessions', '/settings/applications', '/device', '/admin/users', '/admin/audit', '/ada',
  '/bakery/-/settings/tokens', '/bakery/-/settings/deleted', '/bakery/-/audit', '/bakery/-/teams', '/bakery/-/new-team', '/bakery/-/teams/bakers', '/bakery/-/teams/bakers/settings',
  '/bakery/-/hooks', `${REPO}/settings/hooks`,
  `${REPO}/agents`, `${REPO}/settings/collaborators`, `${REPO}/pull/4/edit`,
  '/', '/explore', '/docs', '/settings/tokens', '/settings/invites', '/workspaces/new', '/new', '/bakery', '/bakery/-/members', '/bakery/-/settings', '/bakery/recipes',
  REPO, `${REPO}/tree/main/src`, `${REPO}/blob/main/src/oven.ts`, `${REPO}/blob/main/README.md`, `${REPO}/blame/main/src/oven.ts`, `${REPO}/commits/main`, `${REPO}/branches`, `${REPO}/tags`,
  `${REPO}/activity`, `${REPO}/settings`, `${REPO}/issues`, `${REPO}/issues?state=closed`, `${REPO}/issues/new`, `${REPO}/issues/1`, `${REPO}/issues/1/edit`, `${REPO}/pulls`, `${REPO}/pulls?state=all`,
  `${REPO}/pulls/new`, `${REPO}/pull/4`, `${REPO}/pull/5`, `${REPO}/pull/4/changes`, `${REPO}/pull/4/changes?view=split`, `${REPO}/pull/4/commits`, `${REPO}/pull/4/session`, `${REPO}/pull/4/checks`,
  '/bakery/odd', `/bakery/odd/tree/${BRANCH}`, '/bakery/odd/tree/v1.0/rc', '/bakery/odd/tree/main/a/b/c/d/e/f', '/bakery/odd/tree/main/vendor', `/bakery/odd/commits/${BRANCH}`, '/bakery/odd/branches',
  fileAt('empty.txt'), fileAt('bytes.bin'), fileAt('dot.svg'), `${fileAt('dot.svg')}?plain=1`, fileAt('link'), fileAt('long.txt'), fileAt('many.ts'), fileAt('a dir/ünï/q&a=1+2.txt'),
  fileAt('crlf.txt', 'blame'),
]
/** Pages that somebody without an account comes to. */
const OUTSIDE = ['/', '/explore', '/login', '/login?next=%2Fnew', '/forgot', '/register', '/registered', '/confirm?token=x', '/reset?token=x', '/bakery', REPO, `${REPO}/issues/1`, `${REPO}/pull/4`]

type Axe = { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> }

/** What axe-core finds, in few words. Run through the developer tools, so the page's own policy need not allow it. */
async function violations(of: Page): Promise<string[]> {
  await of.evaluate(AXE)
  return of.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary?.split('\n')[1]?.trim() ?? ''}`))
  })
}

async function look(at: Page, path: string): Promise<void> {
  for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']] as const) {
    await at.setViewportSize({ width, height: 900 })
    await at.emulateMedia({ colorScheme })
    const response = await at.goto(`${forge.url}${path}`)
    expect([path, response?.status()]).toEqual([path, 200])
    expect([path, await at.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width])
    expect(await violations(at)).toEqual([])
  }
}

describe('every page', () => {
  for (const path of PAGES) {
    test(`${path} is there, accessible and fits a phone`, async () => {
      await look(page, path)
      expect(problems).toEqual([])
    }, 60_000)
  }
})

test('so is the page of a commit with every kind of change', async () => {
  await page.goto(`${forge.url}/bakery/odd/commits/${BRANCH}`)
  const commit = (await page.getAttribute('main a[href*="/commit/"]', 'href')) ?? ''
  await look(page, commit)
  expect(await page.locator('main .diff-file').count()).toBe(6)
  await look(page, `${commit}?view=split`)
}, 60_000)

test('so is every page for those without an account', async () => {
  const outside = await visitor()
  for (const path of OUTSIDE) await look(outside.page, path)
  expect(outside.problems).toEqual([])
}, 120_000)

test('a refused form keeps what was typed, and asking for its address again leads to its page', async () => {
  const name = 'Not A Name'
  await page.goto(`${forge.url}/bakery/-/new-team`)
  await page.fill('[name=name]', name)
  await page.fill('[name=slug]', name)
  await page.click('main form[action$="/new-team"] button[class*=primary]')
  expect([await page.inputValue('[name=name]'), await page.inputValue('[name=slug]'), await page.locator('[aria-invalid=true]').count()]).toEqual([name, name, 1])

  // A name that is typed and is not there is told beside its field as well.
  await page.goto(`${forge.url}/bakery/-/teams/bakers`)
  await page.fill('input[name=repo]:not([type=hidden])', 'bakery/nothing')
  await page.click('form[action$="/repos"] button:has-text("Give")')
  expect([await page.inputValue('input[name=repo]:not([type=hidden])'), await page.textContent('main .field-error')]).toEqual(['bakery/nothing', 'there is no repository bakery/nothing'])

  const answer = await page.goto(`${forge.url}${REPO}/pull/4/reviews`)
  expect([answer?.status(), new URL(page.url()).pathname]).toEqual([200, `${REPO}/pull/4`])
})

test('every link of these pages leads somewhere', async () => {
  const seen = new Set<string>()
  for (const path of PAGES) {
    await page.goto(`${forge.url}${path}`)
    for (const href of await page.$$eval('a[href^="/"]', (links) => links.map((link) => link.getAttribute('href') ?? ''))) seen.add(href.split('#')[0] ?? '')
  }
  const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const dead: string[] = []
  for (const href of seen) {
    const response = await fetch(`${forge.url}${href}`, { headers: { cookie: cookies }, redirect: 'manual' })
    await response.arrayBuffer()
    if (response.status >= 400) dead.push(`${response.status} ${href}`)
  }
  expect(dead).toEqual([])
}, 120_000)

test('the switch of branches leads to the nearest folder when the other branch has no such file', async () => {
  await page.goto(`${forge.url}${fileAt('empty.txt')}`)
  await page.click('.code-bar .menu summary')
  await page.click(`.code-bar .menu a:has-text("${BRANCH}")`)
  expect(new URL(page.url()).pathname).toBe(`/bakery/odd/tree/${BRANCH}`)
  expect((await page.goto(`${forge.url}${fileAt('empty.txt', 'blob', BRANCH)}`))?.status()).toBe(404)
})

test('a comment is changed in its place and deleted by its author', async () => {
  await page.goto(`${forge.url}${REPO}/issues/2`)
  await page.fill('#field-body-new', 'First words')
  await page.click('form[action$="/comments"] button[class*=primary]')
  await page.click('.comment-menu summary')
  await page.click('.comment-menu a:has-text("Edit")')
  await page.fill('[name=text]', 'Second words')
  await page.click('form[action$="/comments/edit"] button[class*=primary]')
  expect(await page.textContent('.timeline')).toContain('Second words')
  await page.click('.comment-menu summary')
  await page.click('.comment-menu button:has-text("Delete")')
  expect(await page.textContent('.timeline')).not.toContain('Second words')
})

test('the address of a pull request’s diff and patch are what git takes', async () => {
  for (const [end, begin] of [['diff', 'diff --git'], ['patch', 'From ']] as const) {
    const response = await fetch(`${forge.url}${REPO}/pull/4.${end}`)
    expect([response.status, (await response.text()).startsWith(begin)]).toEqual([200, true])
  }
})
