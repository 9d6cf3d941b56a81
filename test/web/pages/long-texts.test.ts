/**
 * Texts that are too long for one page come in parts of less than 100 KB, which together have every
 * word once and in order. Links to a heading lead to the part that has it, without a script as well.
 */
import { expect, test } from 'bun:test'
import { addComment, createIssue, getIssue } from '#features/issues/index.ts'
import { createPull, reviewPull } from '#features/pulls/index.ts'
import { createRelease } from '#features/releases/index.ts'
import { setWikiPage } from '#features/wiki/index.ts'
import { runForge } from '../../features/oauth/running.ts'
import { openContext } from '../../journeys/browser.ts'

const REPO = 'acme/site'
const MAX_PAGE_BYTES = 100_000
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const reader = await forge.browser('ada')

/** Chapters with numbered words, of about so many characters. */
function longText(length: number): string {
  let text = 'See [chapter 9](#chapter-9).\n\n'
  for (let at = 0; text.length < length; at++) {
    if (at % 10 === 0) text += `## Chapter ${at / 10}\n\n`
    text += `Word${at} ${'is in *this* text with `code`. '.repeat(20)}\n\n`
  }
  return text
}

const wordsIn = (html: string): number[] =>
  [...html.matchAll(/Word(\d+) /g)].map(([, word]) => Number(word))

const countTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

const unescape = (href: string): string => href.replaceAll('&amp;', '&')

async function open(address: string): Promise<string> {
  const { status, html } = await reader.open(address)
  expect([address, status]).toEqual([address, 200])
  expect([address, Buffer.byteLength(html) < MAX_PAGE_BYTES]).toEqual([address, true])
  return html
}

/** The pages of all parts, by the links to the next one. */
async function walk(address: string): Promise<string[]> {
  const pages: string[] = []
  for (let next: string | undefined = address; next !== undefined; ) {
    const html: string = await open(next)
    pages.push(html)
    const link = /<a class="page-link" href="([^"]+)" rel="next"/.exec(html)?.[1]
    next = link === undefined ? undefined : unescape(link)
    expect(pages.length).toBeLessThan(50)
  }
  return pages
}

async function expectWhole(address: string, text: string): Promise<string[]> {
  const pages = await walk(address)
  expect(pages.length).toBeGreaterThan(1)
  expect(pages.flatMap(wordsIn)).toEqual(countTo(wordsIn(text).length))
  for (const [at, html] of pages.entries())
    expect(html).toContain(`Part ${at + 1} of ${pages.length}`)
  return pages
}

/** The addresses of the contents by their headings. */
const contentsOf = (html: string): Map<string, string> => {
  const list = /<details class="more contents">(.*?)<\/details>/s.exec(html)?.[1] ?? ''
  return new Map(
    [...list.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].map(
      ([, href = '', heading = '']) => [heading, unescape(href)] as const,
    ),
  )
}

/** Each entry of the contents leads to a page that has its heading. */
async function expectContents(address: string, html: string): Promise<void> {
  const contents = contentsOf(html)
  expect(contents.size).toBeGreaterThan(9)
  for (const [heading, href] of contents) {
    const { pathname, search, hash } = new URL(href, `https://x.test${address}`)
    const page = href.startsWith('#') ? html : await open(pathname + search)
    expect([heading, page.includes(` id="${hash.slice(1)}">${heading}<`)]).toEqual([heading, true])
  }
}

const TEXT = longText(300_000)
const SHORT_OF_LONG = longText(60_000)

test('a wiki page is in parts, with the contents and what was typed on each', async () => {
  await forge.call(setWikiPage, ada, { repo: REPO, slug: 'Long', title: 'Long', body: TEXT })
  const here = `/${REPO}/wiki/Long`
  const [first = '', second = ''] = await expectWhole(here, TEXT)
  await expectContents(here, first)
  await expectContents(`${here}?part=2`, second)
  expect(second).toMatch(/<title>[^<]*part 2 of \d/)
  const raw = await reader.open(`${here}?raw=1`)
  expect(second).toContain(`href="${here}?raw=1"`)
  expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(raw.html).toBe(TEXT)
  // A link in the text to a heading of another part.
  const link = /<a href="([^"]+)">chapter 9</.exec(first)?.[1] ?? ''
  expect(await open(unescape(link).split('#')[0] ?? '')).toContain('id="user-content-chapter-9"')
  // A part behind the end is the last one.
  expect(wordsIn(await open(`${here}?part=99`)).at(-1)).toBe(wordsIn(TEXT).length - 1)
})

test('an older revision of a wiki page stays what it is from part to part', async () => {
  const put = (body: string) =>
    forge.call(setWikiPage, ada, { repo: REPO, slug: 'Old', title: 'Old', body })
  const { revision } = await put(TEXT)
  await put('Short now.')
  await expectWhole(`/${REPO}/wiki/Old?revision=${revision}`, TEXT)
  expect(await open(`/${REPO}/wiki/Old`)).not.toContain('Part 1')
})

test('the change of a long wiki page is in parts, which have all of its lines', async () => {
  const lines = countTo(3_000).map((at) => `Word${at} of a line that is as long as lines are.`)
  const put = (body: string) =>
    forge.call(setWikiPage, ada, { repo: REPO, slug: 'Log', title: 'Log', body })
  await put('Begin')
  const { revision } = await put(lines.join('\n'))
  const found: number[] = []
  let next: string | undefined = `/${REPO}/wiki/_change/${revision}/Log`
  for (let pages = 0; next !== undefined && pages < 50; pages++) {
    const html: string = await open(next)
    found.push(...wordsIn(html))
    next = /<a class="btn btn-plain" href="([^"#]+)[^"]*" rel="next nofollow"/.exec(html)?.[1]
    next = next === undefined ? undefined : unescape(next)
  }
  expect(found).toEqual(countTo(3_000))
})

test('a long sidebar and footer have pages of their own', async () => {
  await forge.call(setWikiPage, ada, { repo: REPO, slug: '_Sidebar', title: 'Sidebar', body: TEXT })
  await forge.call(setWikiPage, ada, { repo: REPO, slug: '_Footer', title: 'Footer', body: TEXT })
  const html = await open(`/${REPO}/wiki/Long?part=2`)
  for (const slug of ['_Sidebar', '_Footer']) {
    expect(html).toContain(`<a href="/${REPO}/wiki/${slug}">Show the whole text</a>`)
    const pages = await walk(`/${REPO}/wiki/${slug}`)
    expect(pages.length).toBeGreaterThan(1)
  }
})

test('a Markdown file is in parts, its source stays one, and the README leads to it', async () => {
  await forge.commit(REPO, 'main', {
    'README.md': TEXT,
    'docs/more.md': `[There](../README.md#chapter-40)\n\n${TEXT}`,
    'plain/README': 'a plain line of text\n'.repeat(20_000),
    ...Object.fromEntries(countTo(300).map((at) => [`a-file-with-a-long-name-${at}.txt`, 'x'])),
  })
  const here = `/${REPO}/blob/main/README.md`
  const [first = ''] = await expectWhole(here, TEXT)
  await expectContents(here, first)
  const source = await open(`${here}?plain=1`)
  expect(source).toContain('id="L1"')
  expect(source).not.toContain('Part 1')

  const home = await open(`/${REPO}`)
  expect(wordsIn(home)).toEqual(countTo(wordsIn(home).length))
  expect(home).toContain(`<a href="${here}">Show the whole text</a>`)
  expect(await open(`/${REPO}/tree/main/plain`)).toContain('Show the whole text')

  // A link of another document to a heading.
  const more = await open(`/${REPO}/blob/main/docs/more.md`)
  const link = /<a href="([^"]+)"[^>]*>There</.exec(more)?.[1] ?? ''
  const { pathname, search, hash } = new URL(link)
  expect(hash).toBe('#user-content-chapter-40')
  expect(await open(pathname + search)).toContain('id="user-content-chapter-40"')
})

test('the notes of a release are in parts, and the list shows where they begin', async () => {
  const body = longText(100_000).slice(0, 100_000)
  for (const tag of ['v1', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8'])
    await forge.call(createRelease, ada, { repo: REPO, tag_name: tag, name: tag, body })
  await expectWhole(`/${REPO}/releases/tag/v3`, body)
  const list = await open(`/${REPO}/releases`)
  expect(list.match(/Show the whole text/g)).toHaveLength(8)
})

test('long texts of an issue have pages of their own, which their links lead to', async () => {
  const body = SHORT_OF_LONG
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'Long', body })
  const here = `/${REPO}/issues/${number}`
  const comments = await Promise.all(
    countTo(8).map(() => forge.call(addComment, ada, { repo: REPO, number, body })),
  )
  const html = await open(here)
  for (const id of ['description', comments[7]?.id ?? '']) {
    expect(html).toContain(`<a href="${here}/text/${id}">Show the whole text</a>`)
    await expectWhole(`${here}/text/${id}`, body)
  }
  for (const id of ['cmt_01m8kr6vv2e2pbfm3n8hdyj1rm', 'evt_x', 'cmt_', 'nothing'])
    expect((await reader.open(`${here}/text/${id}`)).status).toBe(404)
})

test('comments on lines and reviews of a pull request have pages of their own', async () => {
  await forge.commit(REPO, 'topic', { 'a.txt': 'one\n2\nthree\n' })
  const { pull } = await forge.call(createPull, ada, { repo: REPO, branch: 'topic', title: 'Two' })
  const at = { repo: REPO, number: pull.number, body: SHORT_OF_LONG }
  const here = `/${REPO}/pull/${pull.number}`
  const line = await forge.call(addComment, ada, { ...at, path: 'a.txt', line: 2 })
  await forge.user('otto')
  const review = await forge.call(reviewPull, await forge.user('otto'), {
    ...at,
    verdict: 'comment',
  })
  await open(here)
  for (const id of [line.id, review.id]) await expectWhole(`${here}/text/${id}`, SHORT_OF_LONG)
  expect(await open(`${here}/changes`)).toContain(`${here}/text/${line.id}`)
})

test('a task of a long text is ticked without those behind the beginning losing theirs', async () => {
  const body = `- [ ] first\n${SHORT_OF_LONG}\n- [x] last\n- [ ] not yet\n`
  const { number } = await forge.call(createIssue, ada, { repo: REPO, title: 'Tasks', body })
  const here = `/${REPO}/issues/${number}`
  await reader.press(await open(here), `${here}/tasks`, { task: '0' })
  const { issue } = await forge.call(getIssue, ada, { repo: REPO, number })
  expect(issue.body).toBe(body.replace('- [ ] first', '- [x] first'))
})

test('with a script, a heading that an address names opens its part', async () => {
  const context = await openContext()
  const page = await context.newPage()
  // Links of other forges have no prefix.
  for (const fragment of ['user-content-chapter-30', 'chapter-30', 'user-content-chapter-0']) {
    await page.goto(`${forge.url}/${REPO}/blob/main/README.md#${fragment}`)
    const id = fragment.replace(/^(?:user-content-)?/, 'user-content-')
    await page.waitForSelector(`#${id}`)
    await page.waitForFunction((target) => location.hash === `#${target}`, id)
    expect(await page.locator(`#${id}`).isVisible()).toBeTrue()
  }
  await context.close()
})
