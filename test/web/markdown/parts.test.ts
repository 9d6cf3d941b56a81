import { describe, expect, test } from 'bun:test'
import { renderMarkdown } from '#web/markdown.ts'
import { divideDocument, MAX_PART_BYTES, partHtml } from '#web/markdown/parts.ts'

const VOID = /^(?:br|hr|img|input|source|wbr)$/

/** The elements that are open at the end of some HTML; null when a tag closes another one. */
function openAtEnd(html: string): string[] | null {
  const open: string[] = []
  for (const [tag, close, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (VOID.test(name) || tag.endsWith('/>')) continue
    if (close === '') open.push(name)
    else if (open.pop() !== name) return null
  }
  return open
}

const divide = (text: string) =>
  divideDocument(
    renderMarkdown(text, {
      link: { siteUrl: 'https://x.test', repo: 'a/b' },
      base: { repo: 'a/b', ref: 'main', dir: '' },
    }),
  )

const paragraph = `${'Some *text* with `code`, https://example.com/a/b and #1 by @ada. '.repeat(12)}\n\n`
const block = '```ts\nconst a = 1\nfunction f() { return a }\n```\n\n- one\n- two\n\n'

const LONG: Readonly<Record<string, string>> = {
  paragraphs: (paragraph + block).repeat(200),
  chapters: Array.from({ length: 60 }, (_, at) => `## Chapter ${at}\n\n${paragraph}${block}`).join(
    '',
  ),
  'a list': '- an item\n'.repeat(10_000),
  'a numbered list': '1. an `item`\n'.repeat(10_000),
  'nested lists': '- a\n  1. b\n     - c d\n'.repeat(4_000),
  'a table': `| a | b |\n| - | - |\n${'| c `d` | e |\n'.repeat(6_000)}`,
  'a table in HTML': `<table>${'<tr><td>a</td></tr>'.repeat(5_000)}</table>`,
  'a row in HTML': `<table><tr>${'<td>a</td>'.repeat(10_000)}</tr></table>`,
  'a code block': `\`\`\`ts\n${'const a = 1 && "x"\n'.repeat(4_000)}\`\`\`\n`,
  'one line of code': `\`\`\`ts\n${'a=1;'.repeat(30_000)}\n\`\`\`\n`,
  'a quote': '> quoted text\n>\n'.repeat(8_000),
  'deep quotes': `${'> '.repeat(20)}${'word '.repeat(40_000)}`,
  details: `<details><summary>More</summary>\n\n${paragraph.repeat(120)}\n</details>`,
  'one paragraph': 'word *x* '.repeat(20_000),
  'one word': 'x'.repeat(200_000),
  entities: '&'.repeat(60_000),
  emoji: '😀'.repeat(50_000),
  images: '![](a.png)'.repeat(2_000),
  'one heading': `# ${'word '.repeat(30_000)}`,
  'one link': `[${'word '.repeat(30_000)}](https://x.test)`,
  footnotes: Array.from(
    { length: 900 },
    (_, at) => `a[^${at}]\n\n[^${at}]: ${'note '.repeat(20)}\n\n`,
  ).join(''),
  'more than is rendered': 'a word\n'.repeat(160_000),
}

describe('the parts of a long document have all of it, each as HTML of its own', () => {
  for (const [name, text] of Object.entries(LONG))
    test(name, () => {
      const { html, ranges } = divide(text)
      expect(ranges.length).toBeGreaterThan(1)
      expect(ranges.map(({ start, end }) => html.slice(start, end)).join('')).toBe(html)
      for (const range of ranges) {
        const part = partHtml(html, range)
        expect(openAtEnd(part)).toEqual([])
        expect(part).toBe(part.toWellFormed())
        expect(part).not.toMatch(/&[a-z#0-9]{0,6}(?:<|$)/)
        expect(Buffer.byteLength(part)).toBeLessThan(MAX_PART_BYTES + 2_000)
        expect(range.end).toBeGreaterThan(range.start)
      }
    })
})

const partsOf = (text: string): string[] => {
  const { html, ranges } = divide(text)
  return ranges.map((range) => partHtml(html, range))
}

test('a document that a page has room for is one part', () => {
  expect(divide(paragraph).ranges).toHaveLength(1)
  expect(divide('').ranges).toHaveLength(1)
})

test('parts begin with headings where they can, and the contents name the part of each', () => {
  const { html, ranges, contents } = divide(LONG.chapters ?? '')
  for (const range of ranges) expect(partHtml(html, range)).toStartWith('<h2 ')
  expect(contents.map(({ text }) => text)).toEqual(
    Array.from({ length: 60 }, (_, at) => `Chapter ${at}`),
  )
  for (const { id, part } of contents) {
    const range = ranges[part]
    expect(range && partHtml(html, range)).toContain(` id="${id}"`)
  }
})

test('no part ends with a heading', () => {
  const text = `${paragraph}## Here\n\n${paragraph}`.repeat(100)
  for (const part of partsOf(text)) expect(part.trimEnd()).not.toEndWith('</h2>')
})

test('a numbered list goes on where it was', () => {
  const [, second = ''] = partsOf('1. an `item`\n'.repeat(10_000))
  const [first = ''] = partsOf('1. an `item`\n'.repeat(10_000))
  const count = first.match(/<li>/g)?.length ?? 0
  expect(second).toStartWith(`<ol start="${count + 1}"><li>`)
})

test('an item that goes on has no number of its own', () => {
  const [, second = ''] = partsOf(`1. one\n2. ${'word '.repeat(20_000)}\n3. three\n`)
  expect(second).toStartWith('<ol start="2"><li class="continued">')
})

test('a table repeats its head', () => {
  const [, second = ''] = partsOf(LONG['a table'] ?? '')
  expect(second).toMatch(
    /^<div class="table-wrap"[^>]*><table><thead>\n?<tr><th>a<\/th><th>b<\/th><\/tr>\n?<\/thead><tbody><tr>/,
  )
})

test('contents of very many headings have the first of each part', () => {
  const { contents, ranges } = divide(`# Here\n\n${paragraph}`.repeat(400))
  expect(contents.map(({ part }) => part)).toEqual(ranges.map((_, at) => at))
})
