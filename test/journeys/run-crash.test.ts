/**
 * Runs of workflows end, once, after `kill -9`. `bun test/system/run-crash.ts` kills the forge in
 * every state of a run.
 */
import { expect, test } from 'bun:test'
import { runCrashes } from '../system/run-crash.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

test('a kill while a run begins, prints, uploads or is cancelled loses nothing of it', async () => {
  await requireExecutable()
  const faults = await runCrashes(EXECUTABLE, [
    { workflow: 'repeatable', moment: 'pushed', delay_ms: 20 },
    { workflow: 'repeatable', moment: 'uploading', delay_ms: 10 },
    { workflow: 'writing', moment: 'printing', delay_ms: 0 },
    { workflow: 'stubborn', moment: 'cancelling', delay_ms: 20 },
  ])
  expect(faults).toEqual([])
}, 240_000)
