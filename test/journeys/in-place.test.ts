/** Forms of a conversation change the open page: nothing is loaded anew, and nothing that is typed is lost. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { fill } from '../../scripts/demo.ts'
import { api, claim, startForge, visitor, type Forge } from './forge.ts'

let forge: Forge
let page: Page
let problems: string[]
let ask: ReturnType<typeof api>
let issue: string

beforeAll(async () => {
  forge = await startForge()
  ;({ page, problems } = await visitor())
  const token = await claim(page, forge)
  ask = api(forge, token)
  await fill(forge.url, token)
  const { body } = await ask('POST', '/v1/repos/bakery/oven/issues', { title: 'The door sticks' })
  issue = `/bakery/oven/issues/${(body as { number: number }).number}`
}, 120_000)

/** Runs steps on a page, which must be the same document at the end. */
async function onOnePage(path: string, steps: () => Promise<void>): Promise<void> {
  await page.goto(forge.url + path)
  const opened = await page.evaluate(() => performance.timeOrigin)
  await steps()
  expect([path, await page.evaluate(() => performance.timeOrigin)]).toEqual([path, opened])
  expect(problems).toEqual([])
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const focusedText = (): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

test('an issue is labelled, answered, closed and opened again while a comment is being written', async () => {
  await onOnePage(issue, async () => {
    const box = page.locator('#new-comment textarea')
    await box.fill('Begun')
    const labels = page.locator('form[aria-label="Labels"]')
    await labels.locator('summary').click()
    await labels.locator('.picker-item', { hasText: 'bug' }).click()
    await page.keyboard.press('Escape')
    await page.locator('aside a.label', { hasText: 'bug' }).waitFor()
    await button('Assign yourself').click()
    await page.locator('aside .bare-list', { hasText: 'ada' }).waitFor()
    expect(await box.inputValue()).toBe('Begun')

    await button('Comment').click()
    await page.locator('.comment-body', { hasText: 'Begun' }).waitFor()
    expect([await box.inputValue(), await focusedText()]).toEqual(['', 'Comment'])

    await box.fill('Last words')
    await page
      .getByRole('button', { name: /^Close/ })
      .first()
      .click()
    await button('Reopen').waitFor()
    expect(await page.locator('.comment-body', { hasText: 'Last words' }).count()).toBe(1)
    await button('Reopen').click()
    await page.locator('.page-head', { hasText: 'Open' }).waitFor()
  })
}, 120_000)

test('what is written while a comment is on its way stays', async () => {
  await onOnePage(issue, async () => {
    const isWritten = Promise.withResolvers<void>()
    await page.route(/\/comments$/, async (route) => {
      await isWritten.promise
      await route.continue()
    })
    const box = page.locator('#new-comment textarea')
    await box.fill('One.')
    await box.press('Control+Enter')
    await box.press('End')
    await box.pressSequentially(' Two.')
    isWritten.resolve()
    await page.locator('.comment-body', { hasText: 'One.' }).waitFor()
    expect(await box.inputValue()).toBe('One. Two.')
    expect(await box.evaluate((area) => area === document.activeElement)).toBe(true)
    await page.unroute(/\/comments$/)
    await box.press('Control+Enter')
    await page.locator('.comment-body', { hasText: 'One. Two.' }).waitFor()
    expect(await box.inputValue()).toBe('')
  })
}, 120_000)

test('a form that is refused stays as it was typed, with the reason', async () => {
  await onOnePage(issue, async () => {
    const lock = page.locator('details', {
      has: page.locator('summary', { hasText: 'Lock conversation' }),
    })
    await lock.locator('summary').click()
    const reason = lock.locator('[name=reason]')
    await reason.evaluate((field: HTMLInputElement) => field.removeAttribute('maxlength'))
    await reason.fill('x'.repeat(90))
    await lock.getByRole('button', { name: 'Lock conversation' }).click()
    await page.locator('#lock-reason[aria-invalid]').waitFor()
    expect((await reason.inputValue()).length).toBe(90)
    await reason.fill('resolved')
    await lock.getByRole('button', { name: 'Lock conversation' }).click()
    await button('Unlock conversation').waitFor()
    await button('Unlock conversation').click()
    await lock.locator('summary').waitFor()
  })
}, 120_000)

test('a comment of a long conversation is found by its link, and a reaction to it stays in its part', async () => {
  const { body } = await ask('POST', '/v1/repos/bakery/oven/issues', { title: 'It rattles' })
  const { number } = body as { number: number }
  const ids: string[] = []
  for (let at = 1; at <= 90; at++) {
    const comment = await ask('POST', `/v1/repos/bakery/oven/issues/${number}/comments`, {
      body: `Comment ${at}`,
    })
    ids.push((comment.body as { id: string }).id)
  }
  const long = `/bakery/oven/issues/${number}`
  await page.goto(forge.url + long)
  expect(await page.locator('.comment-body', { hasText: 'Comment 90' }).count()).toBe(1)
  expect(await page.locator(`#${ids[4]}`).count()).toBe(0)

  // Elsewhere on the site, and in mails, a link has the comment behind `#` alone.
  await page.evaluate((id) => (location.hash = id), ids[4] ?? '')
  await page.waitForURL(`**${long}?at=${ids[4]}#${ids[4]}`)
  const found = page.locator(`#${ids[4]}`)
  await found.waitFor()
  const opened = await page.evaluate(() => performance.timeOrigin)
  await found.locator('.reaction-more summary').click()
  await found.locator('.reaction-choice button').first().click()
  await found.locator('.reaction', { hasText: '1' }).waitFor()
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(opened)
  expect(await page.locator('.comment-body', { hasText: 'Comment 90' }).count()).toBe(0)

  await page.getByRole('link', { name: 'Latest' }).click()
  await page.locator('.comment-body', { hasText: 'Comment 90' }).waitFor()
  expect(problems).toEqual([])
})

test('a repository is starred and watched, and the menu is closed', async () => {
  await onOnePage('/bakery/oven', async () => {
    await page.getByRole('button', { name: /^Star/ }).click()
    await page.getByRole('button', { name: /^Starred/ }).waitFor()
    expect(await focusedText()).toMatch(/^Starred/)
    await page.locator('summary', { hasText: 'Watch' }).click()
    await page.locator('.menu-button', { hasText: 'Everything' }).click()
    await page.locator('summary', { hasText: 'Watching' }).waitFor()
    expect(await page.locator('details[data-menu][open]').count()).toBe(0)
  })
}, 120_000)

test('a pull request is merged, and what leads elsewhere still does', async () => {
  await ask('POST', '/v1/repos/bakery/oven/commits', {
    branch: 'main',
    new_branch: 'fan',
    message: 'Add a fan',
    files: [{ path: 'src/fan.ts', action: 'put', content: 'export const FAN = 1\n' }],
  })
  const { body } = await ask('POST', '/v1/repos/bakery/oven/pulls', {
    branch: 'fan',
    title: 'A fan',
  })
  const { number } = (body as { pull: { number: number } }).pull
  await onOnePage(`/bakery/oven/pull/${number}`, async () => {
    await page.locator('form[action$="/merge"] button', { hasText: 'Merge' }).first().click()
    await page.locator('.badge', { hasText: 'Merged' }).waitFor()
    await page.locator('#content > .notice').waitFor()
    expect(await page.locator('form[action$="/merge"]').count()).toBe(0)
  })
  const merged = page.url()
  await button('Revert').click()
  await page.waitForURL((url) => url.href !== merged && /\/pull\/\d+$/.test(url.pathname))
}, 120_000)
