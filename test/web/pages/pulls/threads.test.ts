/** Conversations on lines show the code that they are about, below the review that began them. */
import { expect, test } from 'bun:test'
import { addComment, resolveComment } from '#features/issues/index.ts'
import { createPull, listReviewThreads, markPullReady, reviewPull } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
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
  await forge.commit(REPO, 'main', { 'a.txt': lines() })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(REPO, 'fix', { 'a.txt': lines({ 3: '<i>three</i>', 4: 'four' }) }, { as: bob })
  const { pull } = await forge.call(createPull, bob, { repo: REPO, branch: 'fix', title: 'Fix' })
  const on = { repo: REPO, number: pull.number }
  await forge.call(markPullReady, bob, { ...on, summary: 'Done' })
  return { forge, ada, bob, on, here: `/${REPO}/pull/${pull.number}` }
}

test('a review has its conversations below it, with code and the suggested change', async () => {
  const { forge, ada, bob, on, here } = await setUp()
  const body = 'Shorter:\n\n```suggestion\nthree and four\n```\n\nPlease.'
  const review = await forge.call(reviewPull, ada, {
    ...on,
    verdict: 'comment',
    comments: [{ path: 'a.txt', line: 4, start_line: 3, body }],
  })
  await forge.call(addComment, bob, { ...on, body: 'A word between' })
  const alone = await forge.call(addComment, bob, { ...on, path: 'a.txt', line: 2, body: 'Why?' })
  const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  await page.goto(here)
  const order = await page.$$eval('.timeline > li', (all) =>
    all.map((item) => item.id || item.querySelector('.comment')?.id || ''),
  )
  expect(order.indexOf(review.comments[0] ?? '')).toBe(order.indexOf(review.id) + 1)
  expect(order).toContain(alone.id)

  const thread = page.locator('.timeline-thread:has-text("Shorter")')
  const rows = (at: number) =>
    thread
      .locator('.diff-excerpt')
      .nth(at)
      .locator('tr')
      .evaluateAll((all) =>
        all.map((row) => [row.className, row.querySelector('td:last-child')?.textContent ?? '']),
      )
  expect(await rows(0)).toEqual([
    ['', 'line 2'],
    ['del', 'line 3'],
    ['del', 'line 4'],
    ['add', '<i>three</i>'],
    ['add', 'four'],
  ])
  expect(await rows(1)).toEqual([
    ['del', '<i>three</i>'],
    ['del', 'four'],
    ['add', 'three and four'],
  ])
  expect((await thread.locator('.md').allTextContents()).map((text) => text.trim())).toEqual([
    'Shorter:',
    'Please.',
  ])
  expect(problems).toEqual([])
  const scripted = await browserPage(forge, 'bob')
  await scripted.page.goto(here)
  expect(await findFaults(scripted.page, '.timeline')).toEqual([])
}, 120_000)

test('a resolved conversation is folded, and keeps its code after a push', async () => {
  const { forge, ada, bob, on, here } = await setUp()
  const { id } = await forge.call(addComment, ada, { ...on, path: 'a.txt', line: 3, body: 'Hm' })
  await forge.call(resolveComment, ada, { repo: REPO, id, resolved: true })
  await forge.commit(REPO, 'fix', { 'a.txt': lines({ 3: 'other', 4: 'four' }) }, { as: bob })
  await forge.hearth.jobs.idle()
  const [thread] = await forge.call(listReviewThreads, ada, on)
  expect(thread?.line).toBeNull()
  expect(thread?.hunk.at(-1)).toEqual({ kind: 'add', old: null, new: 3, text: '<i>three</i>' })
  const { page } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  await page.goto(here)
  const folded = page.locator('details.review-thread')
  expect(await folded.locator('.diff-excerpt').isVisible()).toBe(false)
  await folded.locator('summary').first().click()
  expect(await folded.locator('.diff-excerpt').isVisible()).toBe(true)
  expect(await folded.textContent()).toContain('Outdated')
}, 120_000)
