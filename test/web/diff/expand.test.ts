import { expect, test } from 'bun:test'
import { expandHunks } from '#web/diff/expand.ts'
import type { DiffHunk } from '#web/diff/rows.ts'

/** Two changes in 100 lines: line 20 was replaced by two, line 60 (61 now) is gone. */
const context = (old: number, now: number) => ({
  kind: 'context' as const,
  old,
  new: now,
  text: `line ${now}`,
})
const hunks: DiffHunk[] = [
  {
    old_start: 19,
    old_lines: 3,
    new_start: 19,
    new_lines: 4,
    lines: [
      context(19, 19),
      { kind: 'del', old: 20, new: null, text: 'was' },
      { kind: 'add', old: null, new: 20, text: 'a' },
      { kind: 'add', old: null, new: 21, text: 'b' },
      context(21, 22),
    ],
  },
  {
    old_start: 59,
    old_lines: 3,
    new_start: 60,
    new_lines: 2,
    lines: [context(59, 60), { kind: 'del', old: 60, new: null, text: 'gone' }, context(61, 61)],
  },
]
const shown = (from: number, to: number) => ({
  from,
  lines: Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`),
})
const brief = (found: readonly DiffHunk[]) =>
  found.map(({ old_start, old_lines, new_start, new_lines }) => [
    old_start,
    old_lines,
    new_start,
    new_lines,
  ])
/** Every line has the numbers that its place says, and its own text. */
const isSound = (found: readonly DiffHunk[]) =>
  found.every(({ old_start, new_start, old_lines, new_lines, lines }) => {
    let [old, now] = [old_start, new_start]
    for (const line of lines) {
      if (line.kind !== 'add' && line.old !== old++) return false
      if (line.kind !== 'del' && line.new !== now++) return false
      if (line.kind === 'context' && line.text !== `line ${line.new}`) return false
    }
    return old - old_start === old_lines && now - new_start === new_lines
  })

test('lines above a hunk are added to it, with the numbers of both sides', () => {
  const above = expandHunks(hunks, shown(9, 18))
  expect([brief(above), isSound(above)]).toEqual([
    [
      [9, 13, 9, 14],
      [59, 3, 60, 2],
    ],
    true,
  ])
})

test('lines below a hunk, and below the last one', () => {
  const below = expandHunks(hunks, shown(23, 30))
  expect([brief(below), isSound(below)]).toEqual([
    [
      [19, 11, 19, 12],
      [59, 3, 60, 2],
    ],
    true,
  ])
  const last = expandHunks(hunks, shown(62, 65))
  expect([brief(last), isSound(last)]).toEqual([
    [
      [19, 3, 19, 4],
      [59, 7, 60, 6],
    ],
    true,
  ])
})

test('hunks that meet become one', () => {
  const whole = expandHunks(hunks, shown(23, 59))
  expect([brief(whole), isSound(whole)]).toEqual([[[19, 43, 19, 43]], true])
  const step = expandHunks(expandHunks(hunks, shown(23, 42)), shown(43, 59))
  expect([brief(step), isSound(step)]).toEqual([[[19, 43, 19, 43]], true])
})

test('lines that touch no hunk, or are in one already, change nothing', () => {
  expect(expandHunks(hunks, shown(30, 40))).toEqual(hunks)
  expect(expandHunks(hunks, { from: 101, lines: [] })).toEqual(hunks)
  expect(expandHunks(hunks, shown(19, 21))).toEqual(hunks)
})

test('a hunk that only takes lines away, without context', () => {
  const bare: DiffHunk[] = [
    {
      old_start: 5,
      old_lines: 1,
      new_start: 4,
      new_lines: 0,
      lines: [{ kind: 'del', old: 5, new: null, text: 'x' }],
    },
  ]
  const above = expandHunks(bare, shown(1, 4))
  expect([brief(above), isSound(above)]).toEqual([[[1, 5, 1, 4]], true])
  const below = expandHunks(bare, shown(5, 6))
  expect([brief(below), isSound(below)]).toEqual([[[5, 3, 5, 2]], true])
})
