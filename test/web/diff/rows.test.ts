import { describe, expect, test } from 'bun:test'
import { pairRows, stackRows, type DiffHunk, type DiffLine } from '#web/diff/rows.ts'
import { changedWords } from '#web/diff/words.ts'

const hunk = (...lines: DiffLine[]): DiffHunk => ({
  old_start: 10,
  old_lines: 0,
  new_start: 20,
  new_lines: 0,
  lines,
})
const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text })
const shape = (rows: ReturnType<typeof pairRows>) =>
  rows.map((row) => [row.old?.number ?? null, row.new?.number ?? null])

describe('rows', () => {
  const changed = hunk(
    line('context', 'a'),
    line('del', 'b'),
    line('del', 'c'),
    line('add', 'B'),
    line('add', 'C'),
    line('add', 'D'),
    line('context', 'e'),
  )
  test('split rows pair removed lines with the added ones', () => {
    expect(shape(pairRows(changed))).toEqual([
      [10, 20],
      [11, 21],
      [12, 22],
      [null, 23],
      [13, 24],
    ])
  })
  test('unified rows have removed lines first', () => {
    expect(shape(stackRows(pairRows(changed)))).toEqual([
      [10, 20],
      [11, null],
      [12, null],
      [null, 21],
      [null, 22],
      [null, 23],
      [13, 24],
    ])
  })
  test('only added, only removed', () => {
    expect(shape(pairRows(hunk(line('add', 'a'))))).toEqual([[null, 20]])
    expect(shape(stackRows(pairRows(hunk(line('del', 'a')))))).toEqual([[10, null]])
  })
  test('line numbers of the record take precedence', () => {
    expect(shape(pairRows(hunk({ kind: 'add', text: 'a', new: 7 })))).toEqual([[null, 7]])
  })
})

describe('changed words', () => {
  const cut = (text: string, ranges: readonly (readonly [number, number])[]) =>
    ranges.map(([start, end]) => text.slice(start, end))
  test('are those that differ', () => {
    const before = '    door.on_open(|| timer.stop());'
    const after = '    door.on_open(|now| timer.hold(now));'
    const words = changedWords(before, after)
    expect(cut(before, words.old)).toEqual(['stop'])
    expect(cut(after, words.new)).toEqual(['now', 'hold', 'now'])
  })
  test('are empty for lines that have little in common, are equal, or are very long', () => {
    expect(changedWords('        return a', '        throw new Error(x)')).toEqual({
      old: [],
      new: [],
    })
    expect(changedWords('same', 'same')).toEqual({ old: [], new: [] })
    expect(changedWords('a'.repeat(2_000), `${'a'.repeat(2_000)}b`)).toEqual({ old: [], new: [] })
  })
  test('consist of letters of any script', () => {
    const words = changedWords('größe = 1 cm', 'größe = 2 cm')
    expect(cut('größe = 1 cm', words.old)).toEqual(['1'])
  })
})
