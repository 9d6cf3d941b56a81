/** The tree of files beside the changes of a pull request or a comparison. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addDraftComment, createPull, markPullReady } from '#features/pulls/index.ts'
import { createBranch } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage, findFaults } from '../pulls/browser-page.ts'

const REPO = 'acme/site'
const lines = (word: string) =>
  `${Array.from({ length: 40 }, (_, at) => `${word} ${at}`).join('\n')}\n`
/** In the order of the tree, which has folders first. */
const PATHS = [
  'docs/guide/deep/intro.md',
  'docs/guide/deep/outro.md',
  'src/a.ts',
  'src/b.ts',
  'README.md',
]

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'README.md': 'old\n', 'src/a.ts': 'old\n' })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'fix', from: 'main' })
  await forge.commit(REPO, 'fix', Object.fromEntries(PATHS.map((path) => [path, lines(path)])), {
    as: bob,
  })
  const { pull } = await forge.call(createPull, bob, { repo: REPO, branch: 'fix', title: 'Fix' })
  const on = { repo: REPO, number: pull.number }
  await forge.call(markPullReady, bob, { ...on, summary: 'Done' })
  await forge.call(addDraftComment, ada, { ...on, path: 'src/b.ts', line: 2, body: 'Why?' })
  return { forge, changes: `/${REPO}/pull/${pull.number}/changes` }
}

/** The names in the tree that can be seen. */
const shown = (page: Page): Promise<string[]> =>
  page.$$eval('.diff-list a', (all) =>
    all.filter((link) => link.checkVisibility()).map((link) => link.textContent ?? ''),
  )
const focusedFile = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.activeElement?.closest('.diff-file')?.querySelector('.diff-name')?.textContent ?? '',
  )

test('the tree is beside the changes, is filtered, and follows the reader', async () => {
  const { forge, changes } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.setViewportSize({ width: 1280, height: 700 })
  await page.goto(changes)
  // Folders come first, and a folder with nothing but a folder shares its line.
  expect(await shown(page)).toEqual(['intro.md', 'outro.md', 'a.ts', 'b.ts', 'README.md'])
  expect(
    await page.$$eval('.diff-folder summary', (all) => all.map((one) => one.getAttribute('title'))),
  ).toEqual(['docs/guide/deep', 'src'])
  expect(
    await page.$$eval('.diff-list li[class]', (all) => all.map((one) => one.className)),
  ).toEqual([
    'diff-folder',
    'is-added',
    'is-added',
    'diff-folder',
    'is-modified',
    'is-added',
    'is-modified',
  ])
  expect(await page.textContent('.diff-list li:has(a[title="src/b.ts"]) .diff-comments')).toBe('1')
  expect(await page.$$eval('.file-place', (all) => all.map((one) => one.textContent))).toEqual(
    PATHS.map((_, at) => `${at + 1} of 5`),
  )
  const content = await page.locator('.diff-main').boundingBox()
  expect((content?.x ?? 0) > 250).toBe(true)

  await page.fill('[data-tree-filter]', 'guide OUT')
  expect(await shown(page)).toEqual(['outro.md'])
  await page.fill('[data-tree-filter]', '')
  expect(await shown(page)).toHaveLength(5)
  await page.fill('[data-tree-filter]', 'src/a')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => location.hash !== '' && scrollY > 500)
  await page.waitForSelector('.diff-list a[aria-current][title="src/a.ts"]')
  // The tree keeps its place in the window.
  const tree = await page.locator('.diff-files').boundingBox()
  expect((tree?.y ?? -1) >= 0 && (tree?.y ?? 99) < 40).toBe(true)
  expect(await findFaults(page, '.diff')).toEqual([])
  expect(problems).toEqual([])
}, 60_000)

test('a line number that is pressed is in the address, and its line is marked', async () => {
  const { forge, changes } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(changes)
  const number = page.locator('.diff-file[data-path="src/a.ts"] td[id$="R7"]')
  const id = (await number.getAttribute('id')) ?? ''
  await number.scrollIntoViewIfNeeded()
  const before = await page.evaluate(() => scrollY)
  await number.click()
  expect(new URL(page.url()).hash).toBe(`#${id}`)
  expect(await page.evaluate(() => scrollY)).toBe(before)
  // At the top of the page Chromium scrolls a frame later.
  await page.evaluate(() => scrollTo(0, 0))
  const pressed = page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        addEventListener('click', () => resolve(scrollY), { capture: true, once: true }),
      ),
  )
  await page.locator('.diff-file[data-path="README.md"] td[id$="R2"]').click()
  await page.waitForTimeout(300)
  expect(await page.evaluate(() => scrollY)).toBe(await pressed)
  await number.click()
  const colour = (row: string) =>
    page.evaluate(
      (at) =>
        getComputedStyle(document.querySelector(`${at} ~ td:last-child`) ?? document.body)
          .backgroundColor,
      row,
    )
  expect(await colour(`#${id}`)).not.toBe(await colour(`#${id.replace(/7$/, '8')}`))
  expect(problems).toEqual([])
})

test('j and k lead from file to file', async () => {
  const { forge, changes } = await setUp()
  const { page } = await browserPage(forge, 'ada')
  await page.goto(changes)
  const visited: string[] = []
  for (const key of ['j', 'j', 'j', 'k', 'k', 'k']) {
    await page.keyboard.press(key)
    visited.push(await focusedFile(page))
  }
  expect(visited).toEqual([
    PATHS[0] ?? '',
    PATHS[1] ?? '',
    PATHS[2] ?? '',
    PATHS[1] ?? '',
    PATHS[0] ?? '',
    PATHS[0] ?? '',
  ])
  await page.keyboard.press('?')
  expect(await page.textContent('dialog.shortcuts')).toContain('The next and the previous file')
}, 60_000)

test('on a phone the tree is a closed drawer, which closes once it led to a file', async () => {
  const { forge, changes } = await setUp()
  const { page } = await browserPage(forge, 'ada')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(changes)
  expect(await shown(page)).toEqual([])
  await page.click('.diff-files > summary')
  expect(await shown(page)).toHaveLength(5)
  await page.click('.diff-list a[title="src/a.ts"]')
  expect(await shown(page)).toEqual([])
  await page.waitForFunction(() => {
    const top = document.querySelector(location.hash)?.getBoundingClientRect().top ?? 999
    return location.hash !== '' && Math.abs(top) < 60
  })
}, 60_000)

test('without a script the tree is a list of links without a filter', async () => {
  const { forge, changes } = await setUp()
  const { page } = await browserPage(forge, 'ada', { javaScriptEnabled: false })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(changes)
  expect(await page.locator('.diff-list a:visible').count()).toBe(5)
  expect(await page.locator('[data-tree-filter]:visible').count()).toBe(0)
  await page.click('.diff-list a[title="src/b.ts"]')
  const id = new URL(page.url()).hash
  expect(await page.locator(`details${id} .diff-name`).textContent()).toBe('src/b.ts')
}, 60_000)

test('a file is marked as viewed in its place, in the tree and in the count', async () => {
  const { forge, changes } = await setUp()
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(changes)
  let loads = 0
  page.on('load', () => loads++)
  const file = page.locator('.diff-file', { has: page.locator('.diff-name', { hasText: 'a.ts' }) })
  const count = page.locator('[data-viewed-count]')
  expect(await count.textContent()).toBe('0 of 5 viewed')
  await file.getByText('Mark as viewed').click()
  // The browser skips the contents of lines until it paints them (content-visibility), so that the
  // link may count as hidden.
  await page.waitForSelector('.diff-list li.viewed a[title="src/a.ts"]', { state: 'attached' })
  expect([await count.textContent(), await file.getAttribute('open')]).toEqual([
    '1 of 5 viewed',
    null,
  ])
  // Loaded alone, the file still knows its place.
  expect(await file.locator('.file-place').textContent()).toBe('3 of 5')
  await file.locator('summary').click()
  await page.locator('.diff-tools button', { hasText: /^Viewed$/ }).click()
  const unmarked = '.diff-list li:not(.viewed) > a[title="src/a.ts"]'
  await page.waitForSelector(unmarked, { state: 'attached' })
  expect([await count.textContent(), loads]).toEqual(['0 of 5 viewed', 0])
  expect(await file.getAttribute('open')).toBe('')
  expect(problems).toEqual([])
}, 60_000)

test('the tree of 3,000 files loads in parts, and its filter finds every file', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada })
  await forge.commit(REPO, 'main', { 'README.md': 'a\n' })
  const many = Array.from(
    { length: 3_000 },
    (_, at) => `packages/part${Math.floor(at / 50)}/src/module${String(at).padStart(4, '0')}.ts`,
  ).toSorted()
  for (let at = 0; at < many.length; at += 300)
    await forge.commit(
      REPO,
      'many',
      Object.fromEntries(many.slice(at, at + 300).map((path) => [path, `${path}\n`])),
    )
  const address = `/${REPO}/compare/main...many`
  const { page, problems } = await browserPage(forge, 'ada')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(address)
  expect(await page.locator('.diff-list a').count()).toBe(100)
  const all = (await page.getAttribute(`a[data-part="diff-files"]`, 'href')) ?? ''
  // Every part is a page of its own.
  for (const part of [1, 2, 15]) {
    const html = await (await page.request.get(`${all}&part=${part}`)).text()
    expect([html.match(/\.ts">/g)?.length, html.length < 100_000]).toEqual([200, true])
  }
  await page.click('text=Show all 3,000')
  await page.waitForFunction(() => document.querySelectorAll('.diff-list a').length >= 200)

  await page.fill('.diff-filter [name=q]', 'module2999')
  await page.waitForFunction(() => document.querySelectorAll('.diff-list a').length === 1)
  await page.click('.diff-list a')
  await page.waitForSelector('.diff-file:target .diff-name:has-text("module2999")')
  expect(problems).toEqual([])
}, 120_000)
