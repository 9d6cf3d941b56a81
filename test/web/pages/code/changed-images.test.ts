/** Images and documents in changes. */
import { expect, test } from 'bun:test'
import { deflateSync } from 'node:zlib'
import { createBranch, createCommit } from '#features/repos/index.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { browserPage, findFaults } from '../pulls/browser-page.ts'

const REPO = 'acme/site'

/** A PNG of one colour (PNG specification, section 11). */
function png(width: number, height: number, colour: readonly [number, number, number]): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length)
    frame.writeUInt32BE(Bun.hash.crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.from([0, ...Array.from({ length: width }, () => colour).flat()])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const svg = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><script>parent.ran = 1</script><rect width="30" height="20" fill="${colour}"/></svg>\n`
const PDF = Buffer.from('%PDF-1.4\n%\u00e2\u00e3\n1 0 obj<<>>endobj\0\ntrailer<<>>\n', 'latin1')

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo(REPO, { as: ada, private: true })
  await forge.commit(REPO, 'main', { 'README.md': 'a\n' })
  const commit = (branch: string, files: Record<string, Buffer | string | null>) =>
    forge.call(createCommit, ada, {
      repo: REPO,
      branch,
      message: 'Paint',
      files: Object.entries(files).map(([path, content]) =>
        content === null
          ? { path, action: 'delete' as const }
          : typeof content === 'string'
            ? { path, action: 'put' as const, content }
            : {
                path,
                action: 'put' as const,
                content: content.toString('base64'),
                encoding: 'base64' as const,
              },
      ),
    })
  await commit('main', {
    'logo.png': png(40, 24, [200, 40, 40]),
    'gone.png': png(10, 10, [1, 2, 3]),
    'mark.svg': svg('red'),
    'paper.pdf': PDF,
  })
  await forge.call(createBranch, ada, { repo: REPO, branch: 'paint', from: 'main' })
  return { forge, ada, commit, address: `/${REPO}/compare/main...paint` }
}

test('an image is compared side by side, swiped and blended, also without a script', async () => {
  const { forge, commit, address } = await setUp()
  await commit('paint', {
    'logo.png': png(60, 30, [40, 40, 200]),
    'gone.png': null,
    'new.png': png(5, 6, [9, 9, 9]),
  })
  for (const javaScriptEnabled of [false, true]) {
    const { page, problems } = await browserPage(forge, 'ada', { javaScriptEnabled })
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(address)
    const file = (name: string) =>
      page.locator('.diff-file', { has: page.locator('.diff-name', { hasText: name }) })
    const logo = file('logo.png')
    expect(await logo.locator('figcaption:visible').allTextContents()).toEqual([
      expect.stringMatching(/^Before 40 × 24 · \d+ bytes$/),
      expect.stringMatching(/^After 60 × 30 · \d+ bytes$/),
    ])
    expect(await file('gone.png').locator('figcaption').textContent()).toContain('Removed 10 × 10')
    expect(await file('new.png').locator('figcaption').textContent()).toContain('Added 5 × 6')
    await logo.getByText('Swipe').click()
    expect(await logo.locator('figcaption:visible').count()).toBe(0)
    expect(await logo.locator('.image-mode-swipe img:visible').count()).toBe(2)
    expect(await logo.locator('input[type=range]:visible').count()).toBe(javaScriptEnabled ? 1 : 0)
    await logo.getByText('Onion skin').click()
    expect(await logo.locator('.image-mode-onion img:visible').count()).toBe(2)
    if (!javaScriptEnabled) continue
    const before = logo.locator('.image-mode-onion img').nth(1)
    expect(await before.evaluate((one) => getComputedStyle(one).opacity)).toBe('0.5')
    await logo.locator('.image-mode-onion input').fill('20')
    expect(await before.evaluate((one) => getComputedStyle(one).opacity)).toBe('0.2')
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('.image-diff img')]
        .filter((image) => image.checkVisibility())
        .every((image) => image.complete && image.naturalWidth > 0),
    )
    expect(await findFaults(page, '.diff')).toEqual([])
    expect(problems).toEqual([])
  }
}, 90_000)

test('an SVG is shown as lines, and as an image that runs nothing', async () => {
  const { forge, commit, address } = await setUp()
  await commit('paint', { 'mark.svg': svg('blue') })
  const { page, problems } = await browserPage(forge, 'ada')
  await page.goto(address)
  expect(await page.locator('.diff-table .add').count()).toBe(1)
  await page.click('text=Show as image')
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('.image-version img')].every(
      (image) => image.complete && image.naturalWidth === 30,
    ),
  )
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
  expect(await page.locator('.image-diff svg script, .image-diff iframe, object').count()).toBe(0)
  expect(problems).toEqual([])
}, 60_000)

test('of many images the first are on the page, and the others come near the window', async () => {
  const { forge, commit, address } = await setUp()
  await commit(
    'paint',
    Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`pictures/p${at}.png`, png(8, 8, [at, at, at])]),
    ),
  )
  const browser = await forge.browser('ada')
  const { html } = await browser.open(address)
  expect([
    html.match(/class="image-diff"/g)?.length,
    html.match(/>Show this image<\/a>/g)?.length,
  ]).toEqual([6, 3])
  const { page } = await browserPage(forge, 'ada')
  await page.goto(address)
  await page
    .locator('.diff-file')
    .last()
    .evaluate((file) => file.scrollIntoView())
  await page.waitForFunction(() => document.querySelectorAll('.image-diff').length === 9)
}, 60_000)

test('a PDF is opened by the viewer of the browser, and only what is one', async () => {
  const { forge, commit, address } = await setUp()
  await commit('paint', {
    'paper.pdf': Buffer.concat([PDF, Buffer.from([0, 1])]),
    'fake.pdf': '<p>',
  })
  const browser = await forge.browser('ada')
  const { html } = await browser.open(address)
  const shown = html.slice(html.indexOf('class="document-diff"'))
  expect([...shown.matchAll(/data-document="([^"]+)"/g)].map(([, at = '']) => at)).toEqual([
    expect.stringMatching(/^\/acme\/site\/raw\/[0-9a-f]{40}\/paper\.pdf$/),
    expect.stringMatching(/^\/acme\/site\/raw\/[^/]+\/paper\.pdf$/),
  ])
  expect(shown.match(/>Open document</g)?.length).toBe(2)
  expect((await browser.open(`/${REPO}/blob/main/paper.pdf`)).html).toContain('Open document')
  const raw = async (path: string) => {
    const { headers } = await fetch(`${forge.url}/${REPO}/raw/paint/${path}`, {
      headers: { cookie: 'hearth=ada-cookie' },
    })
    return [
      headers.get('content-type'),
      headers.get('content-security-policy')?.includes('sandbox'),
      headers.get('x-content-type-options'),
    ]
  }
  expect(await raw('paper.pdf')).toEqual(['application/pdf', false, 'nosniff'])
  expect(await raw('fake.pdf')).toEqual(['text/plain; charset=utf-8', true, 'nosniff'])
})
