/**
 * The tasks of a day with the keyboard alone: no pointer, no address typed after the first page. At
 * each stop of Tab something has the focus, and browsers show it (`:focus-visible`).
 */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { claim, startForge, visitor, type Forge } from './forge.ts'

let forge: Forge
let page: Page
let problems: string[]

beforeAll(async () => {
  forge = await startForge()
  ;({ page, problems } = await visitor())
  await claim(page, forge)
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
