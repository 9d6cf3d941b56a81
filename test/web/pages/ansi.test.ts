import { expect, test } from 'bun:test'
import { ansiSpans } from '#web/pages/runs/ansi.ts'

const ESC = '\u001b'

test('colours become classes, and everything else is left out', () => {
  expect(ansiSpans('plain <b>')).toEqual([{ text: 'plain <b>', classes: [] }])
  expect(ansiSpans(`${ESC}[1;31mred${ESC}[0m and ${ESC}[38;5;200mpink${ESC}[39m`)).toEqual([
    { text: 'red', classes: ['ansi-red', 'ansi-bold'] },
    { text: ' and ', classes: [] },
    { text: 'pink', classes: [] },
  ])
  expect(ansiSpans(`a${ESC}[2Kb${ESC}]c`).map(({ text }) => text)).toEqual(['a', 'b', 'c'])
})

test('a line of escapes is read in bounded time and makes a bounded number of pieces', () => {
  expect(ansiSpans(`${ESC}[31mx`.repeat(50_000)).length).toBeLessThanOrEqual(200)
  expect(ansiSpans(ESC.repeat(100_000))).toEqual([])
  expect(ansiSpans(`${ESC}[${'1;'.repeat(50_000)}`)).toEqual([])
})
