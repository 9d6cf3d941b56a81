import { expect, test } from 'bun:test'
import { byteLinesOf, toTextLines } from '#web/pages/code/utf16-lines.ts'

const run = (from_line: number, to_line: number, who: string) => ({ from_line, to_line, who })

test('lines of UTF-16 are mapped to those that git counts by bytes', () => {
  const text = 'one\ntwo\nthree\n'
  expect(byteLinesOf(Buffer.from(text, 'utf16le'), 'UTF-16LE')).toEqual([1, 2, 3, 4])
  expect(byteLinesOf(Buffer.from(text, 'utf16le').swap16(), 'UTF-16BE')).toEqual([1, 2, 3, 4])
  // U+0A05 and U+010A have a byte 10 that ends no line.
  for (const [bytes, encoding] of [
    [Buffer.from('a\u0a05\u010a\nb\nc', 'utf16le'), 'UTF-16LE'],
    [Buffer.from('a\u0a05\u010a\nb\nc', 'utf16le').swap16(), 'UTF-16BE'],
  ] as const) {
    expect(byteLinesOf(bytes, encoding)).toEqual([1, 4, 5])
  }
})

test('ranges of byte lines become ranges of text lines', () => {
  expect(
    toTextLines([run(1, 3, 'ada'), run(4, 4, 'bob'), run(5, 9, 'cleo')], [1, 4, 5, 7]),
  ).toEqual([run(1, 1, 'ada'), run(2, 2, 'bob'), run(3, 4, 'cleo')])
  expect(toTextLines([run(1, 9, 'ada')], [1, 2, 3])).toEqual([run(1, 3, 'ada')])
  expect(toTextLines([], [1, 2])).toEqual([])
})
