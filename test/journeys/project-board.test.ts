/** The board of a project in Chromium: made, and its cards dragged, moved by keys, kept. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { api, claim, startForge, visitor, type Forge } from './forge.ts'

let forge: Forge
let page: Page
let problems: string[]
let ask: ReturnType<typeof api>

beforeAll(async () => {
  forge = await startForge()
  const one = await visitor()
  ;({ page, problems } = one)
  ask = api(forge, await claim(page, forge))
  for (const name of ['oven', 'timer']) {
    await ask('POST', '/v1/repos', { workspace: 'ada', name })
    await ask('POST', `/v1/repos/ada/${name}/issues`, { title: `Mend the ${name}` })
  }
}, 120_000)

/** Drags a card; the page that follows has the script that the next one is dragged with. */
async function drag(card: string, to: string): Promise<void> {
  await page.locator(`.board-card:has-text("${card}")`).dragTo(column(to))
  await column(to).locator(`.board-card:has-text("${card}")`).waitFor()
  await page.waitForLoadState('load')
}

const column = (name: string) => page.locator(`[data-column="${name}"]`)
const cards = (name: string): Promise<string[]> =>
  column(name).locator('.board-card > a').allTextContents()
const issue = async (repo: string) =>
  (await ask('GET', `/v1/repos/ada/${repo}/issues/1`)).body as {
    issue: { state: string; labels: string[] }
  }

test('from an empty list to a board of two repositories', async () => {
  await page.goto(`${forge.url}/ada`)
  await page.click('nav a:has-text("Projects")')
  await page.click('main a:has-text("New project")')
  await page.fill('[name=name]', 'Kitchen')
  await page.check('[value="ada/oven"]')
  await page.check('[value="ada/timer"]')
  await page.click('button:has-text("Create project")')
  await page.waitForURL(/\/-\/projects\/kitchen$/)
  expect((await cards('To do')).sort()).toEqual(['Mend the oven', 'Mend the timer'])
})

test('a dragged card gets the label of its column, and is closed in the last one', async () => {
  await drag('oven', 'In progress')
  expect(await issue('oven')).toMatchObject({ issue: { state: 'open', labels: ['in progress'] } })
  await drag('oven', 'Done')
  expect(await issue('oven')).toMatchObject({ issue: { state: 'closed', labels: [] } })
  expect(await cards('To do')).toEqual(['Mend the timer'])
})

test('a card is moved by keys alone', async () => {
  await page.locator('.board-card:has-text("timer") > a').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.type('In progress')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await column('In progress').locator('.board-card:has-text("timer")').waitFor()
  expect(await issue('timer')).toMatchObject({ issue: { labels: ['in progress'] } })
  expect(problems).toEqual([])
})

test('cards are put in order by dragging, by keys and without a script', async () => {
  for (const title of ['First', 'Second', 'Third'])
    await ask('POST', '/v1/repos/ada/oven/issues', { title })
  const board = `${forge.url}/ada/-/projects/kitchen`
  await page.goto(board)
  expect(await cards('To do')).toEqual(['Third', 'Second', 'First'])
  await page
    .locator('.board-card:has-text("First")')
    .dragTo(page.locator('.board-card:has-text("Third")'), { targetPosition: { x: 20, y: 4 } })
  await page.waitForURL(/#card-To-do-oven-2$/)
  expect(await cards('To do')).toEqual(['First', 'Third', 'Second'])
  await page.locator('[aria-label="Move oven#2 down"]').focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(
    () => document.querySelector('[data-column="To do"] .board-card > a')?.textContent === 'Third',
  )
  expect(await cards('To do')).toEqual(['Third', 'First', 'Second'])
  const plain = await visitor({ javaScript: false })
  await plain.context.addCookies(await page.context().cookies())
  await plain.page.goto(board)
  await plain.page.click('[aria-label="Move oven#3 up"]')
  await plain.page.waitForURL(/#card-To-do-oven-3$/)
  expect(
    await plain.page.locator('[data-column="To do"] .board-card > a').allTextContents(),
  ).toEqual(['Third', 'Second', 'First'])
  await page.goto(`${forge.url}/ada/oven/issues/2`)
  expect(await page.locator('aside a[href$="/-/projects/kitchen"]').count()).toBe(1)
  expect(problems).toEqual([])
})

test('a new column is filled by its label, without a script', async () => {
  await page.goto(`${forge.url}/ada/-/projects/kitchen/settings`)
  await page.fill('#column-name-3', 'Bugs')
  await page.fill('#column-label-3', 'bug')
  await page.fill('#column-position-3', '1')
  await page.click('button:has-text("Save columns")')
  await page.waitForSelector('text=Columns saved.')
  await ask('PATCH', '/v1/repos/ada/timer/issues/1', { labels: ['bug'] })
  const plain = await visitor({ javaScript: false })
  await plain.context.addCookies(await page.context().cookies())
  await plain.page.goto(`${forge.url}/ada/-/projects/kitchen`)
  const names = await plain.page.locator('.board-column h2').allTextContents()
  expect(names.map((name) => name.replace(/\s*\d+\+?$/, ''))).toEqual([
    'To do',
    'Bugs',
    'In progress',
    'Done',
  ])
  const card = plain.page.locator('[data-column="Bugs"] .board-card')
  await card.locator('select').selectOption('Done')
  await card.locator('button:has-text("Move")').click()
  await plain.page.locator('[data-column="Done"] .board-card:has-text("timer")').waitFor()
  expect(await issue('timer')).toMatchObject({ issue: { state: 'closed', labels: [] } })
})
