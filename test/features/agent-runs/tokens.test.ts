/**
 * What the built-in agent sends to its model. These limits are a ratchet: they are lowered when the
 * agent needs less, and never raised.
 */
import { expect, test } from 'bun:test'
import type { Asked } from '../../models/provider.ts'
import { makeRunWorld, use, uses } from './fixture.ts'

const MAX_FIRST_CALL_TOKENS = 1_100
const MAX_STORY_TOKENS = 9_000
/** Tokenizers need fewer tokens for English and code than one for each 3.5 bytes. */
const BYTES_PER_TOKEN = 3.5

const tokensOf = ({ body: { messages, tools } }: Asked): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ messages, tools })) / BYTES_PER_TOKEN)

test('the first call and the whole story stay small', async () => {
  const FIX = { path: 'src/add.js', old: 'a * b', new: 'a + b' }
  const { world, assign, run, provider } = await makeRunWorld(
    [
      uses({ name: 'read', input: { path: 'src/add.js' } }),
      use('edit', { path: 'src/add.js', old: 'a - b', new: 'a * b' }),
      use('submit', { message: 'Multiply' }),
      use('run', { command: 'sh test.sh' }),
      use('edit', FIX),
      use('submit', { message: 'Add instead of subtracting' }),
      use('finish', { summary: 'It adds now.' }),
    ],
    { checks: ['sh test.sh'] },
  )
  await assign()
  await world.jobs()
  expect(run()?.state).toBe('resting')
  expect(provider.asked).toHaveLength(7)
  const counts = provider.asked.map(tokensOf)
  expect(counts[0]).toBeLessThanOrEqual(MAX_FIRST_CALL_TOKENS)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_STORY_TOKENS)
  // Nothing of the conversation is sent twice in one call.
  const last = JSON.stringify(provider.asked.at(-1)?.body)
  expect(last.split('It should add.')).toHaveLength(2)
})
