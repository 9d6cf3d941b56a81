/**
 * Many push to the same few refs while the forge is killed: what they did and saw must be possible
 * one push at a time (`bun test/system/git-race.ts` at length).
 */
import { expect, test } from 'bun:test'
import { runRace } from '../system/race/run.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

test('refs behave as if moved by one push at a time', async () => {
  await requireExecutable()
  const seed = Math.floor(Math.random() * 1_000_000_000)
  const { problems, moved, refused } = await runRace({
    executable: EXECUTABLE,
    seed,
    racers: 6,
    refs: 3,
    lives: 2,
    length: 800,
    least: 5,
  })
  if (problems.length > 0) throw new Error(`with seed ${seed}:\n${problems.join('\n')}`)
  // Where nobody met anybody nothing is shown.
  expect(moved).toBeGreaterThan(0)
  expect(refused).toBeGreaterThanOrEqual(5)
}, 120_000)
