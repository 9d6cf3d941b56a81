import { expect, test } from 'bun:test'
import { waitForEntries } from '#features/pulls/sessions/session.ts'
import { makeWorld } from '../../../world.ts'

test('waiting ends with any of its signals, also with one that ended before', async () => {
  const { hearth } = await makeWorld()
  const [client, process] = [new AbortController(), new AbortController()]
  const waiting = waitForEntries(hearth, 'pr_1', 25_000, [client.signal, process.signal])
  process.abort()
  await waiting
  await waitForEntries(hearth, 'pr_1', 25_000, [process.signal])
  expect(client.signal.aborted).toBe(false)
})
