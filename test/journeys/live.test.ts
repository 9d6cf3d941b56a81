/**
 * Open pages that follow what happens, in a real browser: nothing that somebody is doing on them is
 * lost.
 */
import { expect, test } from 'bun:test'
import { fill } from '../../scripts/demo.ts'
import { api, claim, startForge, visitor } from './forge.ts'
import { until } from './keyboard.ts'

test('a conversation and a session grow while somebody types and reads in them', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  const token = await claim(page, forge)
  const ask = api(forge, token)
  await fill(forge.url, token)

  await page.goto(`${forge.url}/bakery/oven/issues/1`)
  const opened = await page.evaluate(() => performance.timeOrigin)
  const box = page.locator('#new-comment textarea')
  await box.fill('What I am writing')
  await page.evaluate(() => scrollTo(0, 150))
  await ask('POST', '/v1/repos/bakery/oven/issues/1/comments', { body: 'Something **new**' })
  await page.locator('strong', { hasText: 'new' }).waitFor()
  await ask('POST', '/v1/repos/bakery/oven/issues/1/close', { reason: 'completed' })
  await page
    .locator('.page-head', { hasText: 'Closed' })
    .or(page.locator('.page-head', { hasText: 'Completed' }))
    .first()
    .waitFor()
  expect([
    await box.inputValue(),
    await box.evaluate((area) => area === document.activeElement),
    await page.evaluate(() => scrollY),
  ]).toEqual(['What I am writing', true, 150])
  expect(await page.evaluate(() => performance.timeOrigin)).toBe(opened)

  await page.goto(`${forge.url}/bakery/oven/pull/4/session`)
  await page.locator('.story-work summary').first().click()
  await ask('POST', '/v1/repos/bakery/oven/pulls/4/session', {
    entries: [
      { kind: 'tool', tool: 'bash', text: 'bun test', data: { ok: true } },
      { kind: 'message', text: 'It *holds*.' },
    ],
  })
  await page.locator('em', { hasText: 'holds' }).waitFor()
  expect(await page.locator('.story-work details').first().getAttribute('open')).not.toBeNull()

  // A draft outlives a reload; sending it ends it.
  await page.goto(`${forge.url}/bakery/oven/issues/2`)
  await box.pressSequentially('Ask @ad')
  await page.locator('#completions [role=option]').first().waitFor()
  await box.press('Enter')
  expect(await box.inputValue()).toBe('Ask @ada ')
  await page.reload()
  expect(await box.inputValue()).toBe('Ask @ada ')
  await page.locator('[data-preview]').click()
  await page.locator('.typed-preview a', { hasText: '@ada' }).waitFor()
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.locator('.comment-body', { hasText: 'Ask @ada' }).waitFor()
  expect(await box.inputValue()).toBe('')
  expect(problems).toEqual([])
}, 120_000)

test('an update that was on its way when a form was sent does not undo what the form shows', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  const ask = api(forge, await claim(page, forge))
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'oven' })
  await ask('POST', '/v1/repos/ada/oven/issues', { title: 'The door sticks' })
  const address = `${forge.url}/ada/oven/issues/1`
  await page.goto(address)

  // The page of the first update is answered by the forge, and comes to the browser later.
  const held = Promise.withResolvers<() => Promise<void>>()
  let isFirst = true
  await page.route(address, async (route) => {
    if (!isFirst) return await route.continue()
    isFirst = false
    const response = await route.fetch()
    held.resolve(() => route.fulfill({ response }))
  })
  await ask('POST', '/v1/repos/ada/oven/issues/1/comments', { body: 'First' })
  const release = await held.promise
  await page.getByRole('button', { name: 'Assign yourself', exact: true }).click()
  const assignees = page.locator('aside .bare-list', { hasText: 'ada' })
  await assignees.waitFor()
  await page.evaluate(() => {
    const aside = document.querySelector('aside')
    new MutationObserver(() => {
      if (!aside?.querySelector('.bare-list')?.textContent?.includes('ada'))
        document.documentElement.dataset.undone = ''
    }).observe(aside ?? document.body, { childList: true, subtree: true })
  })
  await release()
  await ask('POST', '/v1/repos/ada/oven/issues/1/comments', { body: 'Second' })
  await page.locator('.comment-body', { hasText: 'Second' }).waitFor()
  expect(await assignees.count()).toBe(1)
  expect(await page.locator('html[data-undone]').count()).toBe(0)
  expect(problems).toEqual([])
}, 120_000)

test('a page whose stream is refused follows again later', async () => {
  const forge = await startForge()
  const { page } = await visitor()
  const ask = api(forge, await claim(page, forge))
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'oven' })
  await ask('POST', '/v1/repos/ada/oven/issues', { title: 'The door sticks' })
  let isFirst = true
  await page.route(/\/issues\/1\/live/, (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    return route.fulfill({ status: 429 })
  })
  await page.clock.install()
  await page.goto(`${forge.url}/ada/oven/issues/1`)
  await ask('POST', '/v1/repos/ada/oven/issues/1/comments', { body: 'Missed' })
  const missed = page.locator('.comment-body', { hasText: 'Missed' })
  while ((await missed.count()) === 0) await page.clock.fastForward(10_000)
}, 120_000)

test('the focus stays on the row that has it when the list above it grows', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  const ask = api(forge, await claim(page, forge))
  const lamp = '/v1/repos/ada/lamp'
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'lamp' })
  await ask('POST', `${lamp}/commits`, {
    branch: 'main',
    message: 'Add a workflow',
    files: [
      {
        path: '.hearth/workflows/light.yml',
        action: 'put',
        content: '{on: workflow_dispatch, jobs: {a: {runs-on: nowhere, steps: [{run: echo}]}}}\n',
      },
    ],
  })
  // A job reads the file.
  const workflow = await until(
    async () => ((await ask('GET', `${lamp}/actions/workflows`)).body as { id: string }[])[0],
  )
  const dispatch = async (): Promise<void> => {
    const path = `${lamp}/actions/workflows/${workflow.id}/dispatch`
    expect(await ask('POST', path, { ref: 'main' })).toMatchObject({ status: 202 })
  }
  await dispatch()
  await page.goto(`${forge.url}/ada/lamp/runs`)
  const focused = () => page.evaluate(() => (document.activeElement as HTMLAnchorElement).href)
  await page.locator('.row-link').waitFor()
  for (let count = 1; count <= 2; count++) {
    await page
      .locator('.row-link')
      .nth(count - 1)
      .focus()
    const before = await focused()
    await dispatch()
    await page.locator('.row-link').nth(count).waitFor()
    expect(await focused()).toBe(before)
  }
  // So does an open menu.
  await page.locator('.list-menus summary').first().press('Enter')
  await page.locator('.list-menus details[open] a').first().focus()
  const before = await focused()
  await dispatch()
  await page.locator('.row-link').nth(3).waitFor()
  expect([await focused(), await page.locator('.list-menus details[open]').count()]).toEqual([
    before,
    1,
  ])
  expect(problems).toEqual([])
}, 120_000)
