import { expect, test } from 'bun:test'
import { UpdateRecorder } from '#features/agent-runs/program/updates.ts'

const MIB = 1024 ** 2

const begun = (id: string, rawInput: unknown): Record<string, unknown> =>
  // As it comes from the program, each message a text of its own.
  JSON.parse(
    JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Read', rawInput }),
  ) as Record<string, unknown>

test('calls that never end keep little of large inputs', () => {
  const recorder = new UpdateRecorder('/work/site')
  const lists = Array<unknown[]>(1_000_000).fill([])
  const text = 'x'.repeat(3 * MIB)
  recorder.add(begun('first', { lists, text }))
  Bun.gc(true)
  const before = process.memoryUsage().rss
  for (let at = 0; at < 30; at++) {
    recorder.add(begun(`call ${at}`, at % 2 === 0 ? { lists } : { text }))
    if (at % 10 === 9) Bun.gc(true)
  }
  expect((process.memoryUsage().rss - before) / MIB).toBeLessThan(200)
  expect(JSON.stringify(recorder.take(true)).length).toBeLessThan(MIB)
})

test('the record of a call has the first fields of its input', () => {
  const recorder = new UpdateRecorder('/work/site')
  const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at]))
  recorder.add(begun('call', fields))
  const [{ data } = {}] = recorder.take(true)
  const { input } = data as { input: Record<string, unknown> }
  expect(Object.keys(input)).toHaveLength(50)
  expect(input.f49).toBe('49')
})

test('a message of several MiB is cut before it is searched for secrets', () => {
  const recorder = new UpdateRecorder('/work/site')
  const text = 'x'.repeat(4 * MIB)
  recorder.add({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  recorder.add({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } })
  const entries = recorder.take(true)
  expect(entries.map(({ kind }) => kind)).toEqual(['message', 'message'])
  expect(entries[0]?.text.length).toBeLessThan(70_000)
  expect(recorder.lastMessage).toBe('Done.')
})
