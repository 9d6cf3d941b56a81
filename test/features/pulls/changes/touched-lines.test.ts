import { describe, expect, test } from 'bun:test'
import type { DiffLine, FileDiff } from '#git'
import { diffId, intersect, touchesOf } from '#features/pulls/changes/touched-lines.ts'

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({
  kind,
  old: null,
  new: null,
  text,
  no_newline: false,
})

/** A file from the signs of a unified diff. */
const file = (old_start: number, signs: string, change: Partial<FileDiff> = {}): FileDiff => {
  const lines = [...signs].map((sign, at) =>
    line(sign === '+' ? 'add' : sign === '-' ? 'del' : 'context', `${sign}${at}`),
  )
  const old_lines = lines.filter(({ kind }) => kind !== 'add').length
  return {
    path: 'a',
    old_path: null,
    status: 'modified',
    old_oid: 'o',
    new_oid: 'n',
    mode: '100644',
    old_mode: '100644',
    similarity: null,
    binary: false,
    additions: 0,
    deletions: 0,
    hunks: [{ old_start, old_lines, new_start: 1, new_lines: 1, heading: '', lines }],
    reason: null,
    generated: null,
    ...change,
  }
}

describe('the lines of the base', () => {
  test('changed ones, and those around what is only added', () => {
    expect(touchesOf([file(7, '   -+   ')])).toEqual([{ path: 'a', ranges: [[10, 10]] }])
    expect(touchesOf([file(7, '   --+  -  ')])).toEqual([
      {
        path: 'a',
        ranges: [
          [10, 11],
          [14, 14],
        ],
      },
    ])
    expect(touchesOf([file(7, '   ++   ')])).toEqual([{ path: 'a', ranges: [[9, 10]] }])
    expect(touchesOf([file(1, '+   ')])).toEqual([{ path: 'a', ranges: [[1, 1]] }])
    expect(touchesOf([file(5, '-')])).toEqual([{ path: 'a', ranges: [[5, 5]] }])
    expect(
      touchesOf([
        file(5, '+', {
          hunks: [
            {
              old_start: 5,
              old_lines: 0,
              new_start: 6,
              new_lines: 1,
              heading: '',
              lines: [line('add', 'x')],
            },
          ],
        }),
      ]),
    ).toEqual([{ path: 'a', ranges: [[5, 6]] }])
  })

  test('a new file is at its first line, a renamed one is under both names, one without text has no lines', () => {
    expect(touchesOf([file(0, '+++', { status: 'added' })])).toEqual([
      { path: 'a', ranges: [[1, 1]] },
    ])
    expect(touchesOf([file(3, '-', { status: 'renamed', old_path: 'was' })])).toEqual([
      { path: 'was', ranges: [[3, 3]] },
      { path: 'a', ranges: [] },
    ])
    expect(touchesOf([file(3, '', { hunks: null, binary: true })])).toEqual([
      { path: 'a', ranges: [] },
    ])
  })

  test('very many places are one place', () => {
    expect(touchesOf([file(1, '- '.repeat(300))])).toEqual([{ path: 'a', ranges: [[1, 599]] }])
  })
})

test('shared lines of two lists', () => {
  expect(
    intersect(
      [
        [1, 5],
        [10, 12],
      ],
      [
        [4, 10],
        [12, 20],
      ],
    ),
  ).toEqual([
    [4, 5],
    [10, 10],
    [12, 12],
  ])
  expect(intersect([[1, 2]], [[3, 4]])).toEqual([])
  expect(intersect([], [[3, 4]])).toEqual([])
})

test('the id of a change does not see line numbers, and sees everything else', () => {
  const one = diffId([file(7, '   -+   ')])
  expect(diffId([file(70, '   -+   ', { new_oid: 'other' })])).toBe(one)
  expect(diffId([file(7, '  - +   ')])).not.toBe(one)
  expect(diffId([file(7, '   -+   ', { path: 'b' })])).not.toBe(one)
  expect(diffId([file(7, '   -+   ', { mode: '100755' })])).not.toBe(one)
  const binary = (new_oid: string) => diffId([file(1, '', { hunks: null, new_oid })])
  expect(binary('x')).not.toBe(binary('y'))
  const [a, b] = [file(1, '-'), file(1, '+', { path: 'b' })]
  expect(diffId([a, b])).toBe(diffId([b, a]))
})
