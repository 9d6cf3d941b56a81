/**
 * The tasks of a day with the keyboard alone: no pointer, no address typed after the first page. At
 * each stop of Tab something has the focus, and browsers show it (`:focus-visible`).
 */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { api, claim, startForge, visitor, type Forge } from './forge.ts'

let forge: Forge
let page: Page
let problems: string[]
let token: string

beforeAll(async () => {
  forge = await startForge({ environment: { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' } })
  ;({ page, problems } = await visitor())
  token = await claim(page, forge)
  await page.context().clearCookies()
  await page.goto(forge.url)
}, 120_000)

const MAX_STOPS = 200

const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}
const type = (text: string): Promise<void> => page.keyboard.type(text)

/** What has the focus: its element and its name. Throws when nothing has it, or it is not shown. */
async function focused(): Promise<string> {
  const stop = await page.evaluate(() => {
    const at = document.activeElement
    if (at === null || at === document.body) return null
    const field = at as HTMLInputElement
    const label = field.labels?.[0]?.textContent ?? ''
    const name = at.getAttribute('aria-label') ?? (label || (at.textContent ?? ''))
    return {
      words: `${at.tagName.toLowerCase()} ${name.trim().replace(/\s+/g, ' ')}`,
      isShown: at.matches(':focus-visible'),
    }
  })
  if (stop === null) throw new Error(`nothing has the focus on ${page.url()}`)
  expect([stop.words, stop.isShown]).toEqual([stop.words, true])
  return stop.words
}

/** Goes on by Tab until something fits. The way around the page passes the browser's own stops once. */
async function tabTo(words: RegExp): Promise<void> {
  let timesAround = 0
  for (let step = 0; step < MAX_STOPS; step++) {
    await press('Tab')
    const isOutside = await page.evaluate(
      () => document.activeElement === null || document.activeElement === document.body,
    )
    if (isOutside) {
      if (++timesAround > 1) break
    } else if (words.test(await focused())) return
  }
  throw new Error(`Tab does not lead to ${words} on ${page.url()}`)
}

/**
 * Presses keys that lead to another page, and waits for it. A browser gives the focus to an
 * `autofocus` field when it first draws the page, which can be after the load event.
 */
async function goBy(url: RegExp, ...keys: string[]): Promise<void> {
  await Promise.all([page.waitForURL(url), press(...keys)])
  await page.waitForLoadState('load')
  await page.waitForFunction(
    () =>
      document.querySelector('[autofocus]') === null || document.activeElement !== document.body,
  )
}

async function pressButton(name: RegExp, url: RegExp): Promise<void> {
  await tabTo(name)
  await goBy(url, 'Enter')
}

/** Fills a field that Tab leads to. */
async function fillField(words: RegExp, text: string): Promise<void> {
  await tabTo(words)
  await press('Control+a')
  await type(text)
}

/** Goes somewhere by the quick switcher. */
async function jumpTo(words: string, option: string, url: RegExp): Promise<void> {
  await press('Control+k')
  await page.waitForSelector('dialog.jump[open]')
  await type(words)
  await page.waitForSelector(`dialog.jump [role=option][aria-selected=true]:has-text("${option}")`)
  await goBy(url, 'Enter')
}

test('sign in', async () => {
  await tabTo(/^a Sign in/)
  await goBy(/\/login/, 'Enter')
  await fillField(/^input (Username|Email)/i, 'ada')
  await fillField(/^input Password/, 'correct horse battery')
  await goBy(/\/$/, 'Enter')
})

test('a new repository, and a first file', async () => {
  await tabTo(/^summary Create new/)
  await press('Enter')
  await tabTo(/^a New repository/)
  await goBy(/\/new$/, 'Enter')
  expect(await focused()).toMatch(/^input Name/)
  await type('lamp')
  await pressButton(/^button Create repository/, /\/ada\/lamp$/)
  await pressButton(/^a .*(create|new|add).* file/i, /\/ada\/lamp\/new\//)
  await fillField(/^input Path/, 'lamp.txt')
  await page.waitForSelector('.code-editor, textarea[name=content]')
  await press('Tab')
  await type('one')
  await press('Escape')
  await pressButton(/^button Commit changes/, /\/ada\/lamp\/(blob|tree)\//)
  expect(problems).toEqual([])
})

test('an issue with a label from the picker, and a comment', async () => {
  await press('g', 'i')
  await page.waitForURL(/\/ada\/lamp\/issues$/)
  await goBy(/\/issues\/new$/, 'c')
  await focused()
  await type('The wick is short')
  await tabTo(/^summary Choose: Labels/)
  await press('Enter')
  await page.waitForSelector('details.picker[open] :focus')
  await press('Escape')
  expect(await focused()).toMatch(/^summary Choose: Labels/)
  await pressButton(/^button Create issue/, /\/issues\/1$/)
  await tabTo(/^textarea/)
  await type('Trim it.')
  await Promise.all([page.waitForSelector('.comment:has-text("Trim it.")'), press('Control+Enter')])
  expect(problems).toEqual([])
})

test('a file is edited on a branch of its own, and becomes a pull request', async () => {
  await press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await tabTo(/^a lamp\.txt/)
  await goBy(/\/blob\/main\/lamp\.txt$/, 'Enter')
  await goBy(/\/edit\/main\/lamp\.txt$/, 'e')
  await tabTo(/^input Path/)
  await press('Tab', 'Control+a')
  await type('two')
  await press('Escape')
  await tabTo(/^input .*(main|branch)/i)
  await press('ArrowDown')
  await pressButton(/^button Commit changes/, /\/pull\/2$|\/pulls\/new/)
  if (/pulls\/new/.test(page.url())) await pressButton(/^button Create pull request/, /\/pull\/2$/)
  expect(problems).toEqual([])
})

test('a suggestion on a line of a change, and the merge', async () => {
  await pressButton(/^a Changes/, /\/pull\/2\/changes/)
  await tabTo(/^a Comment on new line 1/)
  await press('Enter')
  await page.waitForSelector('.line-form textarea:focus')
  await tabTo(/^button Add a suggestion/)
  await press('Enter')
  await page.waitForFunction(() =>
    document
      .querySelector<HTMLTextAreaElement>('.line-form textarea')
      ?.value.includes('suggestion'),
  )
  await tabTo(/^button Comment now/)
  await Promise.all([
    page.waitForSelector('.suggestion, .diff-suggestion, .thread'),
    press('Enter'),
  ])
  await page.waitForSelector('.thread:has-text("Suggest")')
  await pressButton(/^a Conversation/, /\/pull\/2$/)
  await tabTo(/^button Merge$/)
  await Promise.all([page.waitForSelector('main :text("Merged")'), press('Enter')])
  expect(problems).toEqual([])
})

test('a release, and a setting', async () => {
  await press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await tabTo(/^a .*[Rr]elease/)
  await goBy(/\/releases/, 'Enter')
  if (!/new$/.test(page.url())) await pressButton(/^a New release/, /\/releases\/new$/)
  await fillField(/^input Tag/, 'v1.0')
  await pressButton(/^button Publish/, /\/releases\/tag\/v1\.0$/)

  await pressButton(/^a Settings/, /\/settings$/)
  await fillField(/^input Description/, 'Light for the bakery')
  await tabTo(/^button Save/)
  await Promise.all([page.waitForSelector('[role=status]:has-text("Saved")'), press('Enter')])
  expect(problems).toEqual([])
})

test('a project with a board, and a card that is moved on it', async () => {
  await tabTo(/^a ada$/)
  await goBy(/\/ada$/, 'Enter')
  await pressButton(/^a Projects/, /\/-\/projects$/)
  await pressButton(/^a New project/, /\/-\/new-project$/)
  expect(await focused()).toMatch(/^input Name/)
  await type('Light')
  await tabTo(/^input lamp/)
  await press('Space')
  await pressButton(/^button Create project/, /\/-\/projects\/light$/)
  await tabTo(/^select Column of lamp#1/)
  await type('In progress')
  await tabTo(/^button Move lamp#1$/)
  await goBy(/#card-In-progress-lamp-1$/, 'Enter')
  expect(
    await page.locator('[data-column="In progress"] .board-card:has-text("wick")').count(),
  ).toBe(1)
  // The quick switcher leads back to the repository.
  await jumpTo('lamp', 'lamp', /\/ada\/lamp/)
  expect(problems).toEqual([])
})

/** Asks the API, for what programs do and no person. */
const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await api(forge, token)(method, path, body)
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, expect.anything()])
  return answer.body
}

/** Asks again until something is there that a job makes. */
async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await Bun.sleep(50)) {
    const found = await read()
    if (found !== undefined) return found
  }
  throw new Error('what a job makes is not there after a minute')
}

const LAMP = '/v1/repos/ada/lamp'

/** The message at the top of a page about what was just done. */
const messageOf = (words: string): string => `main > [role=status]:has-text("${words}")`

test('a first workflow, and a run of it that somebody starts', async () => {
  await pressButton(/^a Runs/, /\/ada\/lamp\/runs$/)
  await pressButton(/^a New workflow/, /\/new\/main\?path=/)
  expect(await page.inputValue('[name=path]')).toBe('.hearth/workflows/test.yml')
  expect(await page.inputValue('[name=content]')).toContain('runs-on: ubuntu-latest')
  expect(await focused()).toMatch(/^input Path/)
  // The editor deletes by itself. Text that is typed over several lines is merged by the browser,
  // which reports a style that it may not set. On one line, because the editor indents by itself.
  await press('Tab', 'Control+a', 'Delete')
  await type('{on: workflow_dispatch, jobs: {light: {runs-on: nowhere, steps: [{run: echo}]}}}')
  await press('Escape')
  await pressButton(/^button Commit changes/, /\/blob\/main\/\.hearth/)
  await pressButton(/^a Runs/, /\/ada\/lamp\/runs$/)
  await tabTo(/^summary Run workflow/)
  await press('Enter')
  await tabTo(/^button .*On main/)
  await Promise.all([page.waitForSelector(messageOf('started')), press('Enter')])
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
  await press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await pressButton(/^a Security/, /\/security$/)
  await pressButton(/^a Code scanning/, /\/code-scanning$/)
  await pressButton(/^a .*short/, /\/code-scanning\/csa_/)
  await fillField(/^input Note/, 'It is a short lamp.')
  await tabTo(/^button Dismiss alert/)
  await Promise.all([page.waitForSelector('button:has-text("Reopen alert")'), press('Enter')])
  expect(problems).toEqual([])
})

test('a package is deleted and restored', async () => {
  const put = await fetch(`${forge.url}/packages/ada/generic/glass/1.0/glass.txt`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: 'clear',
  })
  expect(put.status).toBeLessThan(300)
  await tabTo(/^a ada$/)
  await goBy(/\/ada$/, 'Enter')
  await pressButton(/^a Packages/, /\/-\/packages$/)
  await pressButton(/^a glass$/, /\/generic\/glass$/)
  // The settings of the package come after those of the workspace.
  await tabTo(/^a Retention/)
  await pressButton(/^a Settings/, /\/glass\/settings$/)
  await fillField(/^input Type glass to be sure/, 'glass')
  await tabTo(/^button Delete package/)
  await Promise.all([page.waitForSelector(messageOf('Package deleted')), press('Enter')])
  await page.waitForLoadState('load')
  if (!(await page.isVisible('button:has-text("Restore package")'))) {
    await pressButton(/^a Deleted/, /state=deleted/)
    await pressButton(/^a glass$/, /\/generic\/glass$/)
  }
  await tabTo(/^button Restore package/)
  await Promise.all([page.waitForSelector(messageOf('Package restored')), press('Enter')])
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
  await jumpTo('lantern', 'lantern', /\/ada\/lantern/)
  await pressButton(/^a Settings/, /\/settings$/)
  await pressButton(/^a Mirrors/, /\/settings\/mirror$/)
  await tabTo(/^button Take over/)
  await Promise.all([page.waitForSelector('main :text("took over from")'), press('Enter')])
  await tabTo(/^button Hand back$/)
  await press('Enter')
  await state('standing_by')
  expect(problems).toEqual([])
})
