/**
 * The tasks of a day with the keyboard alone: no pointer, no address typed after the first page. At
 * each stop of Tab something has the focus, and browsers show it (`:focus-visible`).
 */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { api, claim, startForge, visitor, type Forge } from './forge.ts'
import { Keyboard, messageOf, until } from './keyboard.ts'

let forge: Forge
let page: Page
let problems: string[]
let token: string
let keys: Keyboard

beforeAll(async () => {
  forge = await startForge({ environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' } })
  ;({ page, problems } = await visitor())
  keys = new Keyboard(page)
  token = await claim(page, forge)
  await page.context().clearCookies()
  await page.goto(forge.url)
}, 120_000)

test('sign in', async () => {
  await keys.tabTo(/^a Sign in/)
  await keys.goBy(/\/login/, 'Enter')
  await keys.fill(/^input (Username|Email)/i, 'ada')
  await keys.fill(/^input Password/, 'correct horse battery')
  await keys.goBy(/\/$/, 'Enter')
})

test('a new repository, and a first file', async () => {
  await keys.tabTo(/^summary Create new/)
  await keys.press('Enter')
  await keys.tabTo(/^a New repository/)
  await keys.goBy(/\/new$/, 'Enter')
  expect(await keys.focused()).toMatch(/^input Name/)
  await keys.type('lamp')
  await keys.follow(/^button Create repository/, /\/ada\/lamp$/)
  await keys.follow(/^a .*(create|new|add).* file/i, /\/ada\/lamp\/new\//)
  await keys.fill(/^input Path/, 'lamp.txt')
  await keys.enterEditor()
  await keys.type('one')
  await keys.press('Escape')
  await keys.follow(/^button Commit changes/, /\/ada\/lamp\/(blob|tree)\//)
  expect(problems).toEqual([])
})

test('an issue with a label from the picker, and a comment', async () => {
  await keys.press('g', 'i')
  await page.waitForURL(/\/ada\/lamp\/issues$/)
  await keys.goBy(/\/issues\/new$/, 'c')
  await keys.focused()
  await keys.type('The wick is short')
  await keys.tabTo(/^summary Choose: Labels/)
  await keys.press('Enter')
  await page.waitForSelector('details.picker[open] :focus')
  await keys.press('Escape')
  expect(await keys.focused()).toMatch(/^summary Choose: Labels/)
  await keys.follow(/^button Create issue/, /\/issues\/1$/)
  await keys.tabTo(/^textarea/)
  await keys.type('Trim it.')
  await Promise.all([
    page.waitForSelector('.comment:has-text("Trim it.")'),
    keys.press('Control+Enter'),
  ])
  expect(problems).toEqual([])
})

test('a file is edited on a branch of its own, and becomes a pull request', async () => {
  await keys.press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await keys.tabTo(/^a lamp\.txt/)
  await keys.goBy(/\/blob\/main\/lamp\.txt$/, 'Enter')
  await keys.goBy(/\/edit\/main\/lamp\.txt$/, 'e')
  await keys.tabTo(/^input Path/)
  await keys.enterEditor()
  await keys.press('Control+a')
  await keys.type('two')
  await keys.press('Escape')
  await keys.tabTo(/^input .*(main|branch)/i)
  await keys.press('ArrowDown')
  await keys.follow(/^button Commit changes/, /\/pull\/2$|\/pulls\/new/)
  if (/pulls\/new/.test(page.url())) await keys.follow(/^button Create pull request/, /\/pull\/2$/)
  expect(problems).toEqual([])
})

test('a suggestion on a line of a change, and the merge', async () => {
  await keys.follow(/^a Changes/, /\/pull\/2\/changes/)
  await keys.tabTo(/^a Comment on line 1/)
  await keys.press('Enter')
  await page.waitForSelector('.line-form textarea:focus')
  await keys.tabTo(/^button Add a suggestion/)
  await keys.press('Enter')
  await page.waitForFunction(() =>
    document
      .querySelector<HTMLTextAreaElement>('.line-form textarea')
      ?.value.includes('suggestion'),
  )
  await keys.tabTo(/^button Comment now/)
  await keys.press('Enter')
  await page.waitForSelector('.thread .suggestion')
  await page.waitForFunction(() => document.activeElement?.closest('.comment') !== null)
  await keys.follow(/^a Conversation/, /\/pull\/2$/)
  await keys.pressFor(/^button Merge$/, '.badge:has-text("Merged")')
  expect(problems).toEqual([])
})

test('a release, and a setting', async () => {
  await keys.press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await keys.tabTo(/^a .*[Rr]elease/)
  await keys.goBy(/\/releases/, 'Enter')
  if (!/new$/.test(page.url())) await keys.follow(/^a New release/, /\/releases\/new$/)
  await keys.fill(/^input Tag/, 'v1.0')
  await keys.follow(/^button Publish/, /\/releases\/tag\/v1\.0$/)

  await keys.follow(/^a Settings/, /\/settings$/)
  await keys.fill(/^input Description/, 'Light for the bakery')
  await keys.pressFor(/^button Save/, '[role=status]:has-text("Saved")')
  expect(problems).toEqual([])
})

test('a project with a board, and a card that is moved on it', async () => {
  await keys.tabTo(/^a ada$/)
  await keys.goBy(/\/ada$/, 'Enter')
  await keys.follow(/^a Projects/, /\/-\/projects$/)
  await keys.follow(/^a New project/, /\/-\/new-project$/)
  expect(await keys.focused()).toMatch(/^input Name/)
  await keys.type('Light')
  await keys.tabTo(/^input lamp/)
  await keys.press('Space')
  await keys.follow(/^button Create project/, /\/-\/projects\/light$/)
  await keys.tabTo(/^select Column of lamp#1/)
  await keys.type('In progress')
  await keys.tabTo(/^button Move lamp#1$/)
  await keys.goBy(/#card-In-progress-lamp-1$/, 'Enter')
  expect(
    await page.locator('[data-column="In progress"] .board-card:has-text("wick")').count(),
  ).toBe(1)
  // The quick switcher leads back to the repository.
  await keys.jumpTo('lamp', 'lamp', /\/ada\/lamp/)
  expect(problems).toEqual([])
})

/** Asks the API, for what programs do and no person. */
const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await api(forge, token)(method, path, body)
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, expect.anything()])
  return answer.body
}

const LAMP = '/v1/repos/ada/lamp'

test('a first workflow, and a run of it that somebody starts', async () => {
  await keys.follow(/^a Runs/, /\/ada\/lamp\/runs$/)
  await keys.follow(/^a New workflow/, /\/new\/main\?path=/)
  expect(await page.inputValue('[name=path]')).toBe('.hearth/workflows/test.yml')
  expect(await page.inputValue('[name=content]')).toContain('runs-on: ubuntu-latest')
  expect(await keys.focused()).toMatch(/^input Path/)
  // The editor deletes by itself. Text that is typed over several lines is merged by the browser,
  // which reports a style that it may not set. On one line, because the editor indents by itself.
  await keys.enterEditor()
  await keys.press('Control+a', 'Delete')
  await keys.type(
    '{on: workflow_dispatch, jobs: {light: {runs-on: nowhere, steps: [{run: echo}]}}}',
  )
  await keys.press('Escape')
  await keys.follow(/^button Commit changes/, /\/blob\/main\/\.hearth/)
  await keys.follow(/^a Runs/, /\/ada\/lamp\/runs$/)
  // It comes by itself once a job has read the file.
  await page.waitForSelector('summary:has-text("Run workflow")')
  await keys.tabTo(/^summary Run workflow/)
  await keys.press('Enter')
  await keys.pressFor(/^button .*On main/, messageOf('started'))
  // The page updates itself when the run changes, and the message stays.
  const [run] = (await ask('GET', `${LAMP}/actions/runs`)) as { id: string }[]
  await ask('POST', `${LAMP}/actions/runs/${run?.id}/cancel`)
  await page.waitForSelector('main :text("Cancelled")')
  expect(await page.isVisible(messageOf('started'))).toBe(true)
  expect(problems).toEqual([])
})

test('an alert is dismissed', async () => {
  const [head] = (await ask('GET', `${LAMP}/commits`)) as { sha: string }[]
  await ask('POST', `${LAMP}/code-scanning/sarifs`, {
    commit_sha: head?.sha,
    git_ref: 'refs/heads/main',
    sarif: {
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'Wick', rules: [{ id: 'short' }] } },
          results: [
            {
              ruleId: 'short',
              message: { text: 'The wick is short.' },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'lamp.txt' },
                    region: { startLine: 1 },
                  },
                },
              ],
            },
          ],
        },
      ],
    },
  })
  await until(async () => ((await ask('GET', `${LAMP}/code-scanning/alerts`)) as unknown[])[0])
  await keys.press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await keys.follow(/^a Security/, /\/security$/)
  await keys.follow(/^a Code scanning/, /\/code-scanning$/)
  await keys.follow(/^a .*short/, /\/code-scanning\/csa_/)
  await keys.fill(/^input Note/, 'It is a short lamp.')
  await keys.pressFor(/^button Dismiss alert/, 'button:has-text("Reopen alert")')
  expect(problems).toEqual([])
})

test('a package is deleted and restored', async () => {
  const put = await fetch(`${forge.url}/packages/ada/generic/glass/1.0/glass.txt`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: 'clear',
  })
  expect(put.status).toBeLessThan(300)
  await keys.tabTo(/^a ada$/)
  await keys.goBy(/\/ada$/, 'Enter')
  await keys.follow(/^a Packages/, /\/-\/packages$/)
  await keys.follow(/^a glass$/, /\/generic\/glass$/)
  // The settings of the package come after those of the workspace.
  await keys.tabTo(/^a Retention/)
  await keys.follow(/^a Settings/, /\/glass\/settings$/)
  await keys.fill(/^input Type glass to be sure/, 'glass')
  await keys.pressFor(/^button Delete package/, messageOf('Package deleted'))
  // It leads to the deleted packages.
  await keys.follow(/^a glass$/, /\/generic\/glass$/)
  await keys.pressFor(/^button Restore package/, messageOf('Package restored'))
  expect(await page.locator('button:has-text("Restore package")').count()).toBe(0)
  expect(problems).toEqual([])
})

test('a mirror is taken over and handed back', async () => {
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'lantern' })
  const address = `${forge.url}/ada/lamp.git`
  await ask('POST', '/v1/repos/ada/lantern/mirror', {
    url: address,
    role: 'leader',
    username: 'ada',
    secret: token,
  })
  const state = (wanted: string) =>
    until(async () => {
      const { remotes } = (await ask('GET', '/v1/repos/ada/lantern/mirror')) as {
        remotes: { state: string }[]
      }
      return remotes[0]?.state === wanted ? wanted : undefined
    })
  await state('standing_by')
  await keys.jumpTo('lantern', 'lantern', /\/ada\/lantern/)
  await keys.follow(/^a Settings/, /\/settings$/)
  await keys.follow(/^a Mirrors/, /\/settings\/mirror$/)
  await keys.pressFor(/^button Take over/, 'main :text("took over from")')
  await keys.tabTo(/^button Hand back$/)
  await keys.press('Enter')
  await state('standing_by')
  expect(problems).toEqual([])
})
