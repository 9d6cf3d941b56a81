/**
 * Random histories of people, faults and deaths lose no commit of either side; without a guard they
 * do. `bun test/system/mirror-histories.ts` runs thousands.
 */
import { expect, test } from 'bun:test'
import { runHistories } from './model.ts'

const seeds = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const STEPS = 160

test('no history loses a commit, and hand-backs complete', () => {
  const { first, handBacks } = runHistories(seeds(200), STEPS)
  expect(first).toBeNull()
  expect(handBacks).toBeGreaterThan(20)
})

for (const guard of ['epoch', 'old value', 'keep', 'read again'] as const)
  test(`without the guard "${guard}" commits are lost`, () => {
    expect(runHistories(seeds(400), STEPS, guard).lost).toBeGreaterThan(0)
  })
