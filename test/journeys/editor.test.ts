/** The code editor of the site: what is typed in it is committed, and a draft survives a reload. */
import { expect, test } from 'bun:test'
import { api, claim, startForge, visitor } from './forge.ts'

test('what is typed before the editor is loaded is continued in it', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  const ask = api(forge, await claim(page, forge))
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'oven' })
  const isTyped = Promise.withResolvers<void>()
  await page.route(/\/assets\/editor-/, async (route) => {
    await isTyped.promise
    await route.continue()
  })
  await page.goto(`${forge.url}/ada/oven/new/main`)
  await page.locator('textarea[name=content]').pressSequentially('const heat')
  isTyped.resolve()
  await page.locator('.cm-content').waitFor()
  await page.keyboard.type(' = 20')
  expect(await page.locator('[name=content]').inputValue()).toBe('const heat = 20')
  expect(problems).toEqual([])
}, 120_000)

test('a file is written in the editor, found in it, kept over a reload and committed', async () => {
  const forge = await startForge()
  const { page, problems } = await visitor()
  const ask = api(forge, await claim(page, forge))
  await ask('POST', '/v1/workspaces', { slug: 'bakery' })
  await ask('POST', '/v1/repos', { workspace: 'bakery', name: 'oven', private: false })
  const at = `${forge.url}/bakery/oven/new/main`
  const content = page.locator('.cm-content')

  await page.goto(at)
  await page.fill('[name=path]', 'src/oven.ts')
  const language = page.waitForResponse(/\/assets\/part-/)
  await page.locator('[name=path]').blur()
  await language
  await content.click()
  await page.keyboard.type('const heat = 20')
  expect(await page.locator('[name=content]').inputValue()).toBe('const heat = 20')
  // The colours come from the language, which is loaded with the name.
  await page.locator('.cm-line span', { hasText: 'const' }).waitFor()

  await page.keyboard.press('Control+f')
  await page.keyboard.type('heat')
  await page.locator('.cm-searchMatch').waitFor()
  await page.keyboard.press('Escape')

  await page.reload()
  await content.waitFor()
  expect(await content.innerText()).toContain('const heat = 20')
  await content.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' // degrees')
  // Tab indents, and Escape before it leaves the editor.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('message')

  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.fill('[name=path]', 'src/oven.ts')
  await page.getByRole('button', { name: 'Commit changes' }).click()
  await page.waitForURL(`${forge.url}/bakery/oven/blob/main/src/oven.ts`)
  const raw = await page.request.get(`${forge.url}/bakery/oven/raw/main/src/oven.ts`)
  expect(await raw.text()).toBe('const heat = 20 // degrees')
  // Nothing was refused by the content security policy.
  expect(problems).toEqual([])
}, 120_000)
