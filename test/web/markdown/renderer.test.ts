import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tmpdir } from 'node:os'
import { createCache } from '#lib/cache.ts'
import { withLocale, type Locale } from '#web/locale.ts'
import { plainMarkdown, renderMarkdown } from '#web/markdown.ts'
import { divideDocument, type RenderedDocument } from '#web/markdown/parts.ts'
import { MarkdownRenderer } from '#web/markdown/renderer.ts'
import { PageMarkdown } from '#web/markdown/page-markdown.ts'
import { makeWorld } from '../../world.ts'

type Rendered = { readonly document: RenderedDocument; readonly expiresMs: number | null }

const documents = () =>
  createCache<Rendered>({ maxSize: 1e6, sizeOf: ({ document }) => document.html.length })

const LONG = `# Title\n\n${'a paragraph with *words*\n\n'.repeat(40)}\`\`\`ts\nconst a = 1\n\`\`\``
const OPTIONS = { link: { siteUrl: 'https://x.test', repo: 'a/b' } }

/** A thread that does not respond to a text with `stop` in it. */
const stubborn = join(tmpdir(), `stubborn-${process.pid}.worker.ts`)
writeFileSync(
  stubborn,
  `self.onmessage = ({ data: { id, request } }) => {
    while (request.text.includes('stop')) {}
    self.postMessage({ id, response: { html: 'done ' + request.text.length } })
  }`,
)

const renderer = new MarkdownRenderer(documents())
afterAll(() => renderer.close())

test('a long document comes from the thread as it would from here, then from the cache', async () => {
  expect(renderer.renderNow(LONG, OPTIONS)).toBeNull()
  const document = await renderer.render(LONG, OPTIONS, 'ada')
  expect(document).toEqual(divideDocument(renderMarkdown(LONG, OPTIONS)))
  expect(renderer.renderNow(LONG, OPTIONS)).toBe(document)
  expect(renderer.renderNow(LONG, { ...OPTIONS, breaks: true })).toBeNull()
})

test('the words of the site in a document are in the language of its reader', async () => {
  const short = '> [!WARNING]\n> Hot\n\n# Oven'
  for (const text of [short, `${LONG}\n\n${short}`]) {
    const read = (locale: Locale): Promise<string> =>
      withLocale(locale, async () => (await renderer.render(text, OPTIONS, 'ada')).html)
    const [english, german, arabic] = [await read('en'), await read('de'), await read('ar')]
    expect(english).toContain('>Warning</p>')
    expect(english).toContain('aria-label="Link to this heading"')
    expect(german).toContain('>Warnung</p>')
    expect(german).toContain('aria-label="Link zu dieser Überschrift"')
    expect(arabic).toContain('aria-label="رابط إلى هذا العنوان"')
    expect(withLocale('de', () => renderer.renderNow(text, OPTIONS)?.html)).toBe(german)
    expect(renderer.renderNow(text, OPTIONS)?.html).toBe(english)
  }
})

test('a short text is rendered at once, unless it has code or HTML', () => {
  expect(renderer.renderNow('*a*', OPTIONS)?.html).toBe('<p><em>a</em></p>\n')
  expect(renderer.renderNow('```js\na\n```', OPTIONS)).toBeNull()
  expect(renderer.renderNow('<b>a', OPTIONS)).toBeNull()
})

test('a document that takes too long is plain, also for the next reader; others go on', async () => {
  const slow = new MarkdownRenderer(documents(), 500, () => pathToFileURL(stubborn))
  afterAll(() => slow.close())
  const hostile = `stop <script> ${'x'.repeat(600)}`
  const [first, other] = await Promise.all([
    slow.render(hostile, {}, 'eve'),
    slow.render('y'.repeat(600), {}, 'ada'),
  ])
  expect(first.html).toBe(plainMarkdown(hostile))
  expect(first.html).not.toContain('<script>')
  expect(other.html).toBe('done 600')
  expect(slow.renderNow(hostile, {})).toBe(first)
})

test('more documents than may wait are plain', async () => {
  const full = new MarkdownRenderer(documents(), 20_000, () => pathToFileURL(stubborn))
  afterAll(() => full.close())
  const texts = Array.from({ length: 100 }, (_, index) => `${index}`.repeat(300))
  const rendered = await Promise.all(texts.map((text) => full.render(text, {}, 'eve')))
  expect(rendered.filter(({ html }) => html.startsWith('<pre'))).toHaveLength(35)
})

test('a page gets its documents when it is complete, and no text can name another', async () => {
  const { hearth } = await makeWorld()
  const page = new PageMarkdown(hearth, 'ada')
  const first = page.place(LONG, OPTIONS)
  const second = page.place('<!--part 0 0-->\n'.repeat(50), {})
  expect(first).toStartWith('<!--part ')
  const whole = await page.fill(`<main>${first}|${second}</main>`)
  expect(whole).toStartWith(`<main>${renderMarkdown(LONG, OPTIONS)}|`)
  expect(whole).not.toContain('<!--')
  // The next view does not wait.
  const again = new PageMarkdown(hearth, 'ada')
  expect(again.place(LONG, OPTIONS)).toBe(renderMarkdown(LONG, OPTIONS))
  expect(again.isPending).toBeFalse()
})

test('a document within source that is not highlighted yet is filled too', async () => {
  const { hearth } = await makeWorld()
  const page = new PageMarkdown(hearth, 'ada')
  const document = page.place(`${LONG}\nwithin`, OPTIONS)
  const source = page.placeSource(['let c = 3'], 'javascript', () => `<td>${document}</td>`)
  expect([document, source].every((part) => part.startsWith('<!--part '))).toBeTrue()
  expect(await page.fill(source)).toBe(`<td>${renderMarkdown(`${LONG}\nwithin`, OPTIONS)}</td>`)
})

test('source of a page is highlighted when it is complete, and plain when that comes too late', async () => {
  const { hearth } = await makeWorld()
  const show = (lines: readonly (readonly string[])[]) => `<b>${lines.flat().join('|')}</b>`
  const texts = ['let a = "<"', 'b']
  const patient = new PageMarkdown(hearth, 'ada')
  const marker = patient.placeSource(texts, 'javascript', show)
  expect(marker).toStartWith('<!--part ')
  const page = await patient.fill(`<p>${marker}</p>`)
  expect(page).toStartWith('<p><b><b>let</b>')
  expect(page).toEndWith('|b</b></p>')
  // The next page knows it at once.
  const next = new PageMarkdown(hearth, 'bob').placeSource(texts, 'javascript', show)
  expect(`<p>${next}</p>`).toBe(page)
  const hasty = new PageMarkdown(hearth, 'ada', 0)
  // This takes the grammar a second.
  const hard = `<${'[a]('.repeat(1200)}`
  const late = hasty.placeSource([hard], 'markdown', show)
  expect(await hasty.fill(late)).toBe(`<b>&lt;${hard.slice(1)}</b>`)
})
