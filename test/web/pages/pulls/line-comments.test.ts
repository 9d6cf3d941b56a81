/** Comments on lines, made in their place, and what happens to what was typed. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  addDraftComment,
  createPull,
  getPull,
  listDraftComments,
  listReviewThreads,
  markPullReady,
} from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { diffAnchor } from '#web/components/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage, findFaults } from './browser-page.ts'

const REPO = 'acme/site'
const lines = (change: Record<number, string> = {}) =>
  `${Array.from({ length: 30 }, (_, at) => change[at + 1] ?? `line ${at + 1}`).join('\n')}\n`

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'a.txt': lines(), 'b.txt': 'b\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(
    REPO,
    'fix',
    { 'a.txt': lines({ 3: 'three', 4: '  four', 12: 'twelve' }), 'b.txt': 'bb\n' },
    { as: bob },
  )
  const { pull } = await forge.call(createPull, bob, { repo: REPO, branch: 'fix', title: 'Fix' })
  const { number } = pull
  await forge.call(markPullReady, bob, { repo: REPO, number, summary: 'Done' })
  const on = { repo: REPO, number }
  return {
    forge,
    ada,
    bob,
    on,
    changes: `/${REPO}/pull/${number}/changes`,
    drafts: () => forge.call(listDraftComments, ada, on),
    threads: () => forge.call(listReviewThreads, ada, on),
  }
}

const plus = (page: Page, line: number, path = 'a.txt') =>
  page.locator(`.diff-lines a[href$="on=${diffAnchor(path)}R${line}"]`)
const area = (page: Page) => page.locator('.line-form textarea[name=body]')

test('a comment is written and shown in its place, without another page', async () => {
  const { forge, changes, drafts, threads } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(`${changes}?view=split`)
  let loads = 0
  page.on('load', () => loads++)
  await plus(page, 3).click()
  await area(page).fill('First')
  await page.click('text=Add to review')
  await page.waitForSelector('.review-draft:has-text("First")')
  expect(await page.locator('.review-menu > summary .count').textContent()).toBe(
    '1 pending comment',
  )
  // Two forms at once: the typed text of one stays while the other is sent.
  await plus(page, 12).click()
  await area(page).fill('Still being written')
  await plus(page, 1, 'b.txt').click()
  await page.locator('.line-form textarea').nth(1).fill('Second')
  await page.locator('.line-form').nth(1).getByText('Comment now').click()
  await page.waitForSelector('.review-thread .md:has-text("Second")')
  expect(await area(page).first().inputValue()).toBe('Still being written')
  expect(await findFaults(page)).toEqual([])
  await page.locator('.line-form').getByText('Cancel').click()
  expect(await page.locator('.line-form').count()).toBe(0)

  // A reply, an edit of the pending comment and its deletion.
  await page.click('.review-thread summary:has-text("Reply")')
  await page.fill('.review-thread form[action$="/reply"] textarea', 'Indeed')
  await page.click('.review-thread form[action$="/reply"] button')
  await page.waitForSelector('.thread-comments .md:has-text("Indeed")')
  await page.click('.review-draft summary:has-text("Edit")')
  await page.fill('.review-draft textarea', 'Better words')
  await page.click('.review-draft button:has-text("Save")')
  await page.waitForSelector('.review-draft .md:has-text("Better words")')
  expect(await drafts()).toMatchObject([{ body: 'Better words', line: 3, path: 'a.txt' }])
  expect((await threads()).map(({ comments }) => comments.map(({ body }) => body))).toEqual([
    ['Second', 'Indeed'],
  ])
  await page.click('.review-draft button:has-text("Delete")')
  await page.waitForSelector('.review-draft', { state: 'detached' })
  expect(await drafts()).toEqual([])
  expect(loads).toBe(0)
  expect(page.url()).toEndWith('/changes?view=split')
  expect(problems).toEqual([])
}, 120_000)

test('a range is chosen with Shift or by dragging', async () => {
  const { forge, changes, drafts } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(changes)
  await plus(page, 3).click()
  await area(page).fill('Both lines')
  await plus(page, 4).click({ modifiers: ['Shift'] })
  await page.waitForSelector('label:has-text("Comment on lines 3 to 4")')
  await page.locator('.line-form').last().locator('textarea').fill('Both lines')
  await page.locator('.line-form').last().getByText('Add to review').click()
  await page.waitForSelector('.review-draft:has-text("Lines 3 to 4")')

  const [from, to] = await Promise.all(
    [13, 11].map(async (line) => (await plus(page, line).boundingBox()) ?? { x: 0, y: 0 }),
  )
  await page.mouse.move((from?.x ?? 0) + 5, (from?.y ?? 0) + 5)
  await page.mouse.down()
  await page.mouse.move((to?.x ?? 0) + 60, (to?.y ?? 0) + 8, { steps: 4 })
  expect(await page.locator('.diff-lines tr.lit').count()).toBe(3)
  await page.mouse.up()
  await page.waitForSelector('label:has-text("Comment on lines 11 to 13")')
  expect(await page.locator('.diff-lines tr.lit').count()).toBe(0)
  expect((await drafts()).map(({ start_line, line }) => [start_line, line])).toEqual([[3, 4]])
  expect(problems).toEqual([])
}, 120_000)

for (const javaScriptEnabled of [true, false]) {
  test(`a suggestion is added to what was typed, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const { forge, changes, drafts } = await setUp()
    const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled })
    await page.goto(changes)
    await plus(page, 4).click({ force: true })
    await area(page).fill('Please indent less.')
    await page.fill('[name=start_line]', '3')
    await page.click('text=Add a suggestion')
    const text = 'Please indent less.\n\n```suggestion\nthree\n  four\n```\n'
    expect(await area(page).inputValue()).toBe(text)
    await page.click('text=Add to review')
    await page.waitForSelector('.review-draft')
    expect(await drafts()).toMatchObject([{ body: text, start_line: 3, line: 4 }])
    expect(problems).toEqual([])
  }, 120_000)
}

test('a draft comes back at its own line only, and never replaces another text', async () => {
  const { forge, ada, on, changes, drafts } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(changes)
  await plus(page, 3).click()
  await area(page).fill('Half a thought')
  await page.reload()
  await plus(page, 12).click()
  await page.waitForSelector('.line-form')
  expect(await area(page).inputValue()).toBe('')
  await page.click('text=Cancel')
  await plus(page, 3).click()
  await page.waitForSelector('.line-form')
  expect(await area(page).inputValue()).toBe('Half a thought')
  await page.click('text=Cancel')

  // A pending comment that was being edited and changed elsewhere meanwhile.
  await forge.call(addDraftComment, ada, { ...on, path: 'a.txt', line: 12, body: 'Begun' })
  await page.reload()
  await page.click('.review-draft summary:has-text("Edit")')
  await page.fill('.review-draft textarea', 'Begun and more')
  const second = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  await second.page.goto(changes)
  await second.page.click('.review-draft summary:has-text("Edit")')
  await second.page.fill('.review-draft textarea', 'Begun elsewhere')
  await second.page.click('.review-draft button:has-text("Save")')
  expect(await drafts()).toMatchObject([{ body: 'Begun elsewhere' }])
  await page.reload()
  expect(await page.inputValue('.review-draft textarea')).toBe('Begun elsewhere')
  expect(problems).toEqual([])
}, 120_000)

test('a review is submitted from the button with the pending comments', async () => {
  const { forge, ada, on, changes } = await setUp()
  await forge.call(addDraftComment, ada, { ...on, path: 'a.txt', line: 3, body: 'Rename it' })
  const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  await page.goto(changes)
  await page.click('summary:has-text("Review changes")')
  await page.getByLabel('Request changes').check()
  await page.fill('[name=review]', 'Not yet')
  await page.click('text=Submit review')
  const { reviews, comments } = await forge.call(getPull, ada, on)
  expect(reviews).toMatchObject([{ verdict: 'request_changes', body: 'Not yet' }])
  expect(comments).toMatchObject([{ body: 'Rename it', path: 'a.txt' }])
  expect(problems).toEqual([])
}, 120_000)

test('a review from the conversation counts the pending comments and sends them', async () => {
  const { forge, ada, on, changes, drafts } = await setUp()
  await forge.call(addDraftComment, ada, { ...on, path: 'a.txt', line: 3, body: 'Rename it' })
  const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  await page.goto(changes.replace(/\/changes$/, ''))
  const form = page.locator('form[aria-label=Review]')
  expect(await form.textContent()).toContain('With 1 pending comment.')
  await form.getByLabel('Approve').check()
  await form.locator('button:has-text("Submit review")').click()
  const { reviews, comments } = await forge.call(getPull, ada, on)
  expect(reviews).toMatchObject([{ verdict: 'approve' }])
  expect(comments).toMatchObject([{ body: 'Rename it', path: 'a.txt' }])
  expect(await drafts()).toEqual([])
  expect(await form.textContent()).not.toContain('pending')
  expect(problems).toEqual([])
}, 120_000)
