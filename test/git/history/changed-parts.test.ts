import { expect, test } from 'bun:test'
import { changedParts } from '../../../src/git/history/changed-parts.ts'

/** Lines that are all different, so that equal bytes are the same lines. */
const lines = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `line ${from + at} ${Bun.hash(`${from + at}`)}\n`)

const partsOf = (before: readonly string[], after: readonly string[]) => {
  const file = Buffer.from(after.join(''))
  return changedParts(Buffer.from(before.join('')), file).map(({ start, end }) =>
    file.toString('latin1', start, end),
  )
}

test('a change in the middle is what is left between the equal ends', () => {
  const before = ['one\n', 'two\n', 'three\n']
  expect(partsOf(before, ['one\n', 'new\n', 'three\n'])).toEqual(['new'])
  expect(partsOf(before, ['one\n', 'three\n'])).toEqual([''])
  expect(partsOf(before, before)).toEqual([''])
  expect(partsOf([], before)).toEqual([before.join('')])
  expect(partsOf(before, [])).toEqual([''])
  expect(partsOf(['aaa'], ['aaaaa'])).toEqual(['aa'])
})

test('distant changes of a large file are parts of their own', () => {
  const before = lines(0, 4000)
  const after = before.toSpliced(3500, 1, 'second\n').toSpliced(500, 2, 'first\n')
  expect(partsOf(before, after)).toEqual(
    ['first', 'second'].map((text) => expect.stringContaining(text)),
  )
  expect(partsOf(before, after).join('').length).toBeLessThan(100)
})

test('all that is new is in a part, whatever was inserted, removed, copied and moved', () => {
  for (let round = 0; round < 200; round++) {
    const random = (below: number) => Number(Bun.hash(`${round} ${seed++}`) % BigInt(below))
    let seed = 0
    const before = lines(0, 500 + random(3000))
    const after = [...before]
    for (let edits = random(8); edits >= 0; edits--) {
      const [at, count] = [random(after.length), random(600)]
      if (random(2) === 0) after.splice(at, count)
      const copied = random(3) === 0 ? before.slice(count, count * 2) : lines(10_000 + seed, count)
      after.splice(random(after.length), 0, ...copied)
    }
    const [old, file] = [Buffer.from(before.join('')), Buffer.from(after.join(''))]
    let from = 0
    for (const { start, end } of [...changedParts(old, file), { start: file.length, end: 0 }]) {
      // What is between the parts is in the old file as it is.
      expect(start).toBeGreaterThanOrEqual(from)
      expect(old.includes(file.subarray(from, start))).toBe(true)
      from = end
    }
  }
})
