/**
 * What pages show in frames. Mermaid diagrams of documents are drawn in one that can reach nothing,
 * and shown as source where they cannot be drawn. PDF files are shown by the viewer of the browser.
 */
import { CHROMIUM } from '../../scripts/support/chromium.ts'
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { api, claim, startForge, visitor, type Forge } from './forge.ts'

const BODY = `The plan:

\`\`\`mermaid
flowchart LR
  Heat --> Steam
  Steam --> Bread
  click Heat "javascript:alert(1)"
\`\`\`

A mistake:

\`\`\`mermaid
flowchart LR
  Heat --
\`\`\`
`

/** One empty page. */
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>
%\u0000
`

let forge: Forge
let page: Page
let problems: string[]
let issue: string

beforeAll(async () => {
  forge = await startForge()
  ;({ page, problems } = await visitor())
  const ask = api(forge, await claim(page, forge))
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'oven', private: false })
  await ask('POST', '/v1/repos/ada/oven/issues', { title: 'Plan', body: BODY })
  await ask('POST', '/v1/repos/ada/oven/commits', {
    branch: 'main',
    message: 'Add a paper',
    files: [
      {
        path: 'paper.pdf',
        action: 'put',
        content: Buffer.from(PDF, 'latin1').toString('base64'),
        encoding: 'base64',
      },
    ],
  })
  issue = `${forge.url}/ada/oven/issues/1`
}, 120_000)

test('a diagram is drawn in place of its source, at its height', async () => {
  await page.goto(issue)
  const figure = page.locator('.diagram.is-drawn')
  await figure.waitFor({ timeout: 120_000 })
  const frame = page.frameLocator('.diagram.is-drawn iframe')
  expect(await frame.locator('svg').textContent()).toContain('Bread')
  const [height, inside] = [
    (await figure.locator('iframe').boundingBox())?.height ?? 0,
    await frame.locator('html').evaluate((root) => root.getBoundingClientRect().height),
  ]
  expect(height).toBeGreaterThan(40)
  expect(Math.abs(height - inside)).toBeLessThan(2)
  expect(await figure.locator('pre').isVisible()).toBe(false)
  await figure.locator('summary').click()
  expect(await figure.locator('pre').textContent()).toContain('Heat --> Steam')
}, 180_000)

test('one that is not understood shows its source and the reason', async () => {
  const note = page.locator('.diagram-error')
  await note.waitFor({ timeout: 120_000 })
  expect(await note.textContent()).toContain('could not be drawn')
  const figure = page.locator('.diagram:has(.diagram-error)')
  expect(await figure.locator('pre').isVisible()).toBe(true)
  expect(await figure.locator('iframe').count()).toBe(0)
  expect(problems).toEqual([])
}, 180_000)

test('the frame has no origin, no network and no way to the page', async () => {
  const frame = page.frames().find((one) => one.url().endsWith('/-/diagram'))
  const reached = await frame?.evaluate(async (address) => {
    const isDenied = (run: () => unknown): boolean => {
      try {
        run()
        return false
      } catch {
        return true
      }
    }
    return {
      origin,
      cookie: isDenied(() => document.cookie),
      page: isDenied(() => parent.document.title),
      network: await fetch(address).then(
        () => 'reached',
        () => 'refused',
      ),
      links: document.querySelectorAll('a[href], a[*|href]').length,
    }
  }, issue)
  expect(reached).toEqual({
    origin: 'null',
    cookie: true,
    page: true,
    network: 'refused',
    links: 0,
  })
  expect(problems.every((problem) => problem.includes('Content Security Policy'))).toBe(true)
}, 120_000)

test('without a script the source is shown', async () => {
  const plain = await visitor({ javaScript: false })
  await plain.page.goto(issue)
  expect(await plain.page.locator('.diagram pre').first().isVisible()).toBe(true)
  expect(await plain.page.locator('iframe').count()).toBe(0)
}, 120_000)

test('a PDF is shown by the viewer of the browser, beside a link', async () => {
  const reader = await visitor({ program: CHROMIUM })
  const viewer = reader.page.waitForEvent('framenavigated', {
    predicate: (frame) => frame.url().startsWith('chrome-extension:'),
    timeout: 120_000,
  })
  await reader.page.goto(`${forge.url}/ada/oven/blob/main/paper.pdf`)
  expect((await viewer).parentFrame()?.url()).toBe(`${forge.url}/ada/oven/raw/main/paper.pdf`)
  expect(await reader.page.locator('a:has-text("Open document")').count()).toBe(1)
  expect(reader.problems).toEqual([])
}, 180_000)
