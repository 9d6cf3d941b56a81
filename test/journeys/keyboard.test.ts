/**
 * A day's work without a mouse: everything that can be pressed is reached by Tab and seen when it
 * is, and the main ways have keys.
 */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fill } from '../../scripts/demo.ts'
import { claim } from '../../scripts/support/forge.ts'
import { startForge, visitor, type Forge } from './forge.ts'
import { tabAround } from './tab-stops.ts'

let forge: Forge
let page: Page
let problems: string[]

beforeAll(async () => {
  forge = await startForge()
  const { token, cookie } = await claim({ url: forge.url, setup: async () => forge.setup ?? '' })
  await fill(forge.url, token)
  const one = await visitor()
  ;({ page, problems } = one)
  const [name = '', value = ''] = cookie.split('=')
  await one.context.addCookies([{ name, value, url: forge.url }])
}, 120_000)

const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}
/** What has the focus, in words: its name and what it is. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement
    return at === null || at === document.body
      ? ''
      : `${at.tagName.toLowerCase()} ${(at.getAttribute('aria-label') ?? at.textContent ?? '').trim()}`
  })
/** Goes on by Tab until something has the focus whose words fit. */
async function tabTo(words: RegExp): Promise<void> {
  for (let step = 0; step < 150; step++) {
    await press('Tab')
    if (words.test(await focused())) return
  }
  throw new Error(`Tab does not lead to ${words} on ${page.url()}`)
}
/** Presses keys that lead to another page and waits for it. */
async function goBy(path: string, ...keys: string[]): Promise<void> {
  await Promise.all([page.waitForURL(`${forge.url}${path}`), press(...keys)])
}

const REPO = '/bakery/oven'

for (const path of [
  '/',
  REPO,
  `${REPO}/issues`,
  `${REPO}/issues/1`,
  `${REPO}/pull/4`,
  `${REPO}/pull/4/changes`,
  `${REPO}/labels`,
  `${REPO}/settings`,
  '/settings/tokens',
]) {
  test(`all of ${path} is reached by Tab, once around, and each stop is seen`, async () => {
    await page.goto(forge.url + path)
    expect(await tabAround(page)).toEqual({ unseen: [], missed: [] })
  }, 120_000)
}

test('from the first page to an answer in an issue', async () => {
  await page.goto(forge.url)
  await press('Tab')
  expect(await focused()).toBe('a Skip to content')
  expect(await page.locator('.skip').boundingBox()).toMatchObject({
    x: expect.any(Number) as number,
  })
  await press('Enter')
  expect(await page.evaluate(() => location.hash)).toBe('#content')

  // The quick switcher: opened by a key, left by Escape, and then for real.
  await press('Control+k')
  await page.waitForSelector('dialog.jump[open]')
  await press('Escape')
  await page.waitForSelector('dialog.jump', { state: 'detached' })
  await press('Control+k')
  await page.keyboard.type('oven')
  await page.waitForSelector('dialog.jump [role=option]:has-text("oven")')
  await goBy(REPO, 'Enter')

  // Enter right after the last letter waits for the places that have all letters.
  const isPressed = Promise.withResolvers<void>()
  await page.route(/\/-\/jump\?q=recipes/, async (route) => {
    await isPressed.promise
    await route.continue()
  })
  await press('Control+k')
  await page.waitForSelector('dialog.jump [role=option]')
  await page.keyboard.type('recipes')
  await press('Enter')
  isPressed.resolve()
  await page.waitForURL(`${forge.url}/bakery/recipes`)
  await page.unroute(/\/-\/jump\?q=recipes/)
  await page.goBack()

  await goBy(`${REPO}/issues`, 'g', 'i')
  await press('j')
  expect(await focused()).toBe('a The oven overshoots its target')
  await goBy(`${REPO}/issues/1`, 'Enter')
  await tabTo(/^textarea/)
  await page.keyboard.type('Seen from the keyboard.')
  await Promise.all([
    page.waitForSelector('.comment:has-text("Seen from the keyboard.")'),
    press('Control+Enter'),
  ])
})

test('menus and dialogs: opened, walked through, left, and the focus is where it was', async () => {
  await page.goto(`${forge.url}${REPO}`)
  await tabTo(/^summary .*Watch/i)
  const before = await focused()
  await press('Enter')
  expect(await page.locator('details.menu[open]').count()).toBe(1)
  await press('Tab')
  expect(
    await page.evaluate(() => document.activeElement?.closest('details.menu[open]') !== null),
  ).toBe(true)
  await press('Escape')
  expect(await page.locator('details.menu[open]').count()).toBe(0)
  expect(await focused()).toBe(before)

  await press('?')
  expect(await page.locator('dialog.shortcuts[open]').count()).toBe(1)
  await press('Escape')
  await page.waitForSelector('dialog.shortcuts', { state: 'detached' })
  expect(await focused()).toBe(before)
})

test('from a pull request to its changes, a comment on a line, and a review', async () => {
  await page.goto(`${forge.url}${REPO}/pulls`)
  await press('j')
  await goBy(`${REPO}/pull/4`, 'Enter')
  await tabTo(/^a Changes/)
  await goBy(`${REPO}/pull/4/changes`, 'Enter')
  await tabTo(/^a Comment on line/)
  await press('Enter')
  await page.waitForSelector('.line-form textarea:focus')
  expect(problems).toEqual([])
})

/** In an open picker, goes down to a choice and takes it. */
async function choose(value: string): Promise<void> {
  await page.waitForSelector('details.picker[open] input:focus')
  const at = () => page.evaluate(() => (document.activeElement as HTMLInputElement).value)
  for (let step = 0; step < 30 && (await at()) !== value; step++) await press('ArrowDown')
  expect(await at()).toBe(value)
  await press('Space')
}

test('pickers: opened, chosen and saved without a mouse', async () => {
  await page.goto(`${forge.url}${REPO}/issues/new`)
  await page.keyboard.type('By keys alone')
  await tabTo(/^summary Choose: Labels/)
  await press('Enter')
  await choose('bug')
  await press('Escape')
  expect(await focused()).toMatch(/^summary Choose: Labels/)
  expect(await page.textContent('[data-picker-chosen]')).toContain('bug')
  await tabTo(/^summary Choose: Assignees/)
  await press('Enter')
  await choose('ada')
  await press('Escape')
  await tabTo(/^button Create issue/)
  await Promise.all([page.waitForURL(/\/issues\/\d+$/), press('Enter')])
  expect(await page.textContent('aside')).toContain('bug')

  // On the page of the issue a picker is saved when it closes.
  await tabTo(/^summary Change: Labels/)
  await press('Enter')
  await choose('docs')
  await Promise.all([
    page.waitForSelector('aside .label:has-text("docs") >> visible=true'),
    press('Escape'),
  ])
  expect(problems).toEqual([])
})

test('from file to file of a change by keys', async () => {
  await page.goto(`${forge.url}${REPO}/pull/4/changes`)
  const current = () =>
    page.evaluate(() => document.activeElement?.closest('.diff-file')?.id ?? 'none')
  await press('j')
  const first = await current()
  await press('j')
  const second = await current()
  expect([first === 'none', second === 'none', first === second]).toEqual([false, false, false])
  await press('k')
  expect(await current()).toBe(first)
  await press('f')
  expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-tree-filter'))).toBe(
    true,
  )
})

test('a card of a board is moved to another column by keys', async () => {
  await page.goto(`${forge.url}${REPO}/issues/board?by=label`)
  await tabTo(/^a The oven overshoots its target/)
  await press('Tab')
  expect(await focused()).toMatch(/^select Column of #1/)
  await page.keyboard.type('question')
  await tabTo(/^button Move #1/)
  await Promise.all([
    page.waitForSelector('[data-column=question] .board-card:has-text("overshoots")'),
    press('Enter'),
  ])
  expect(await page.locator('[data-column=bug] .board-card:has-text("overshoots")').count()).toBe(0)
})

test('what the script shows is in the language of the page', async () => {
  const cookie = { name: 'hearth-locale', value: 'de', url: forge.url }
  await page.context().addCookies([cookie])
  await page.goto(`${forge.url}${REPO}/issues`)
  await press('?')
  await page.waitForSelector('dialog.shortcuts :text("Nächste und vorherige Zeile der Liste")')
  await press('Escape')
  await press('Control+k')
  await page.waitForSelector('dialog.jump [placeholder="Repository, #Nummer, Seite oder Datei"]')
  await press('Escape')
  await page.goto(`${forge.url}${REPO}/edit/main/README.md`)
  await page.waitForSelector('.code-editor')
  await page.locator('.cm-content').focus()
  await press('Control+f')
  await page.waitForSelector('.cm-search button:text-is("Alle ersetzen")')
  await page.context().addCookies([{ ...cookie, value: 'en' }])
  expect(problems).toEqual([])
})
