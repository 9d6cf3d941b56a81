/** A pull request says where its commits come from, and how to fetch and push them. */
import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '#features/accounts/index.ts'
import { createPull, getPull } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { checkOutCommands } from '#web/pages/pulls/head-branch.tsx'
import { runForge } from '../../../features/oauth/running.ts'
import { git, withToken } from '../../../journeys/forge.ts'
import { browserPage } from './browser-page.ts'

const REPO = 'acme/site'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': 'a\n' })
  return { forge, ada, bob }
}

test('somebody without write access makes a pull request with the lines that its page shows', async () => {
  const { forge, ada, bob } = await setUp()
  const { secret } = await forge.call(createToken, bob, { name: 'git', scopes: ['code:write'] })
  const { page, problems } = await browserPage(forge, 'bob', { javaScriptEnabled: false })
  await page.goto(`/${REPO}/pulls/new`)
  await page.fill('[name=title]', 'Greet')
  await page.click('text=Create pull request')
  expect(new URL(page.url()).pathname).toBe(`/${REPO}/pull/1`)
  const remote = `${forge.url}/${REPO}/pull/1.git`
  expect(await page.inputValue('#pull-remote')).toBe(remote)
  expect(await page.locator('form[action$="/ready"]').count()).toBe(0)
  const shown = await page.locator('.commands pre').allTextContents()
  expect(shown).toContain(`git push ${remote} HEAD:main`)

  // The lines for a new clone, as they are, with the token that the page asks for.
  const lines = shown.find((text) => text.startsWith('git clone')) ?? ''
  const work = mkdtempSync(join(tmpdir(), 'hearth-work-'))
  let cwd = work
  for (const line of lines.split('\n')) {
    if (line.startsWith('cd ')) {
      cwd = join(cwd, line.slice(3))
      writeFileSync(join(cwd, 'new.txt'), 'hello\n')
    }
    if (!line.startsWith('git ')) continue
    const words = [...line.slice(4).matchAll(/"([^"]*)"|(\S+)/g)].map(([, a, b]) => a ?? b ?? '')
    await git(cwd, ...words.map((word) => (word === remote ? withToken(word, secret ?? '') : word)))
  }
  await page.reload()
  expect(await page.locator('#pull-remote').count()).toBe(0)
  expect(await page.locator('form[action$="/ready"]').count()).toBe(1)
  expect((await forge.call(getPull, ada, { repo: REPO, number: 1 })).changed_files).toBe(1)

  // The head names whose branch it is and leads to its code.
  await page.click('.page-head .lead a:has-text("bob:main")')
  expect(await page.textContent('main')).toContain('new.txt')
  expect(problems).toEqual([])
}, 120_000)

test('the head branch is copied, and its lines check it out', async () => {
  const { forge, ada } = await setUp()
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix/door', from: 'main' })
  await forge.commit(REPO, 'fix/door', { 'a.txt': 'b\n' })
  await forge.call(createPull, ada, { repo: REPO, branch: 'fix/door', title: 'Fix the door' })
  const { page, problems } = await browserPage(forge, 'ada')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`/${REPO}/pull/1/changes`)
  const lead = page.locator('.page-head .lead')
  expect((await lead.textContent())?.replace(/\s+/g, ' ')).toContain('main ← fix/door')
  await lead.getByRole('button', { name: 'Copy the branch name' }).click()
  // The browser writes the clipboard after the click; the page says when it has.
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('fix/door')

  await page.click('summary:has-text("Check out")')
  const [get = '', push = ''] = await page.locator('.clone-menu pre').allTextContents()
  const work = mkdtempSync(join(tmpdir(), 'hearth-work-'))
  await git(work, 'clone', '-q', `${forge.url}/${REPO}.git`, '.')
  for (const line of get.split('\n')) await git(work, ...line.split(' ').slice(1))
  expect(await git(work, 'branch', '--show-current')).toBe('fix/door\n')
  expect(push).toBe('git push origin HEAD:fix/door')
  expect(problems).toEqual([])
}, 120_000)

test('a branch name cannot add a command to the lines', async () => {
  const { forge, ada } = await setUp()
  const branch = "x;$(id)'`id`"
  await forge.call(createBranch, ada, { repo: REPO, branch, from: 'main' })
  await forge.commit(REPO, branch, { 'a.txt': 'b\n' })
  const { pull } = await forge.call(createPull, ada, { repo: REPO, branch, title: 'Odd' })
  const { get } = checkOutCommands(pull)
  const echoed = Bun.spawnSync(['sh', '-c', get.replaceAll(/^git/gm, 'printf "%s\\n"')])
  expect(echoed.stdout.toString().split('\n')).toEqual([
    'fetch',
    'origin',
    branch,
    'switch',
    branch,
    '',
  ])
})
