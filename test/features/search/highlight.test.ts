import { expect, test } from 'bun:test'
import {
  highlightExcerpt,
  highlightParts,
  findPieceSpans,
  parseWords,
  findWordSpans,
} from '#features/search/highlight.ts'

const show = (parts: readonly { text: string; match: boolean }[]): string =>
  parts.map(({ text, match }) => (match ? `[${text}]` : text)).join('')

test('pieces joined are the text, with what overlaps made one', () => {
  expect(
    show(
      highlightParts('abcdef', [
        [1, 3],
        [2, 4],
      ]),
    ),
  ).toBe('a[bcd]ef')
  expect(show(highlightParts('abc', []))).toBe('abc')
  expect(highlightParts('', [])).toEqual([])
})

test('an excerpt of a long text shows the first match', () => {
  const text = `${'word '.repeat(100)}needle${' more'.repeat(100)}`
  const parts = highlightExcerpt(text, findPieceSpans(text, ['needle']), 60)
  expect(show(parts)).toContain('[needle]')
  expect(show(parts)).toStartWith('…')
  expect(parts.map((part) => part.text).join('').length).toBeLessThan(70)
  const faces = '😀'.repeat(100)
  expect(
    highlightExcerpt(faces, [[101, 102]], 31)
      .map((part) => part.text)
      .join(''),
  ).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
})

test('words are found as the index cuts them: in any case, without accents, going on unless quoted', () => {
  const spans = (text: string, word: string, phrase = false) => {
    const wanted = parseWords(word, phrase)
    return show(highlightParts(text, wanted ? findWordSpans(text, [wanted]) : []))
  }
  expect(spans('The Café cafeteria', 'cafe')).toBe('The [Café] [cafeteria]')
  expect(spans('The Café cafeteria', 'cafe', true)).toBe('The [Café] cafeteria')
  expect(spans('load-balancer loads', 'load-bal')).toBe('[load-balancer] loads')
  expect(spans('a an and', 'a')).toBe('[a] an and')
  expect(parseWords('++', false)).toBeNull()
})

test('matches are marked up to a number, and long texts take time in proportion to their length', () => {
  const wanted = (query: string) =>
    query.split(' ').flatMap((word) => parseWords(word, false) ?? [])
  expect(findWordSpans('needle '.repeat(1000), wanted('needle'))).toHaveLength(100)
  expect(findWordSpans('a b c a b', wanted('"b.c b'), 10)).toEqual([
    [2, 3],
    [2, 5],
    [8, 9],
  ])
  const cpuMs = (run: () => void): number => {
    const before = process.threadCpuUsage()
    run()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  }
  const many = wanted(Array.from({ length: 32 }, (_, index) => `b${index}`).join(' '))
  const text = 'b a\u0301 '.repeat(50_000)
  findWordSpans(text, many)
  // Comparing every word with every sequence took a second.
  expect(cpuMs(() => findWordSpans(text, many))).toBeLessThan(500)
})
