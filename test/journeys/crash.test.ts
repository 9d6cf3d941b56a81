/**
 * What was acknowledged survives: the executable is killed at random moments under load, started
 * again on the same data, and held against what it had answered. `bun test/system/crash.ts` does the
 * same for hundreds of rounds, and cuts the power too.
 */
import { expect, test } from 'bun:test'
import { runCrashes } from '../system/crash.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

test('nothing that was acknowledged is lost, doubled or half done when the process is killed', async () => {
  await requireExecutable()
  const seed = Math.floor(Math.random() * 1_000_000_000)
  const options = {
    executable: EXECUTABLE,
    how: 'kill',
    rounds: 8,
    seed,
    contributors: 3,
    length: [300, 1500],
  } as const
  const { problems, acknowledged, least, rounds } = await runCrashes(options)
  if (problems.length > 0) throw new Error(`with seed ${seed}:\n${problems.join('\n')}`)
  expect(rounds).toBe(8)
  // Rounds in which nothing was acknowledged would prove nothing.
  expect(least).toBeGreaterThan(0)
  for (const [kind, count] of Object.entries(acknowledged))
    expect([kind, count > 0]).toEqual([kind, true])
}, 120_000)
