import { expect, test } from 'bun:test'
import type { FileDiff } from '#git'
import { carryLines, overlap, replaceLines } from '#features/pulls/branches/suggestions.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const replaced = (text: string, ...all: Parameters<typeof replaceLines>[1]) => {
  const data = replaceLines(bytes(text), all)
  return data && new TextDecoder().decode(data)
}

test('lines are replaced, taken away and multiplied, and nothing else changes', () => {
  expect(replaced('a\nb\nc\n', { first: 2, last: 2, lines: ['B'] })).toBe('a\nB\nc\n')
  expect(replaced('a\nb\nc\n', { first: 1, last: 2, lines: [] })).toBe('c\n')
  expect(
    replaced(
      'a\nb\nc\n',
      { first: 3, last: 3, lines: ['x', '', 'y'] },
      { first: 1, last: 1, lines: ['A', 'A2'] },
    ),
  ).toBe('A\nA2\nb\nx\n\ny\n')
  expect(replaced('a\nb\n', { first: 3, last: 3, lines: ['x'] })).toBeNull()
})

test('line endings and the missing newline at the end are kept, and bytes that are no text', () => {
  expect(replaced('a\r\nb\r\n', { first: 2, last: 2, lines: ['B', 'C'] })).toBe('a\r\nB\r\nC\r\n')
  expect(replaced('a\nb', { first: 2, last: 2, lines: ['B', 'C'] })).toBe('a\nB\nC')
  expect(
    replaceLines(new Uint8Array([0xff, 0x0a, 0x62, 0x0a]), [{ first: 2, last: 2, lines: ['ü'] }]),
  ).toEqual(Buffer.from([0xff, 0x0a, 0xc3, 0xbc, 0x0a]))
})

test('two that want the same lines collide', () => {
  expect(
    overlap([
      { first: 1, last: 2, lines: [] },
      { first: 2, last: 3, lines: [] },
    ]),
  ).toBe(true)
  expect(
    overlap([
      { first: 3, last: 3, lines: [] },
      { first: 1, last: 2, lines: [] },
    ]),
  ).toBe(false)
})

const diff = (...hunks: [old: number, oldCount: number, count: number][]): FileDiff => ({
  path: 'a',
  old_path: null,
  status: 'modified',
  old_oid: null,
  new_oid: null,
  mode: null,
  old_mode: null,
  similarity: null,
  binary: false,
  additions: 0,
  deletions: 0,
  reason: null,
  generated: null,
  hunks: hunks.map(([old_start, old_lines, new_lines]) => ({
    old_start,
    old_lines,
    new_start: 1,
    new_lines,
    heading: '',
    lines: [],
  })),
})

test('lines are followed past what was added and removed above them, and lost when they were touched', () => {
  expect(carryLines(null, { first: 5, last: 6 })).toEqual({ first: 5, last: 6 })
  expect(carryLines(diff([2, 0, 3]), { first: 5, last: 6 })).toEqual({ first: 8, last: 9 })
  expect(carryLines(diff([2, 2, 0], [9, 1, 4]), { first: 5, last: 6 })).toEqual({
    first: 3,
    last: 4,
  })
  expect(carryLines(diff([6, 1, 1]), { first: 5, last: 6 })).toBeNull()
  // Between two lines of it something was added.
  expect(carryLines(diff([5, 0, 1]), { first: 5, last: 6 })).toBeNull()
  // Right above and right below is not within.
  expect(carryLines(diff([4, 0, 1]), { first: 5, last: 6 })).toEqual({ first: 6, last: 7 })
  expect(carryLines(diff([6, 0, 1]), { first: 5, last: 6 })).toEqual({ first: 5, last: 6 })
  expect(carryLines({ ...diff(), status: 'removed' }, { first: 1, last: 1 })).toBeNull()
})
