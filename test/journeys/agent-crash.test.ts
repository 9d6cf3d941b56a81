/**
 * The built-in agent goes on after `kill -9`, and ends as without it. `bun test/system/agent-crash.ts`
 * kills it at every point of its story.
 */
import { expect, test } from 'bun:test'
import { agentCrashes } from '../system/agent-crash.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

test('a kill while the agent edits, pushes or is sent back changes nothing of its work', async () => {
  await requireExecutable()
  const faults = await agentCrashes(EXECUTABLE, [
    { seen: 'draft' },
    { step: 0, moment: 'within', delay_ms: 0 },
    { step: 1, moment: 'after', delay_ms: 10 },
    { seen: 'failed check' },
  ])
  expect(faults).toEqual([])
}, 240_000)
