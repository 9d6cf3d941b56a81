import { expect, test } from 'bun:test'
import { MessageTurns } from '#lib/threads/message-turns.ts'

test('messages are handled for some milliseconds, then the loop looks for requests', async () => {
  let nowMs = 0
  const later: (() => void)[] = []
  const turns = new MessageTurns(
    () => nowMs,
    (run) => void later.push(run),
  )
  const handled: number[] = []
  for (let message = 0; message < 6; message++)
    turns.run(() => {
      handled.push(message)
      // A page waits for the message.
      void Promise.resolve().then(() => (nowMs += 2))
    })
  expect(handled).toEqual([0, 1, 2, 3, 4, 5])
  await null
  for (let message = 6; message < 10; message++)
    turns.run(() => {
      handled.push(message)
      void Promise.resolve().then(() => (nowMs += 2))
    })
  const turn = (): void => {
    for (const run of later.splice(0)) run()
  }
  expect(handled).toHaveLength(6)
  turn()
  expect(handled).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  turn()
  expect(handled).toHaveLength(10)
  turn()
  // A quiet loop handles a message at once.
  turns.run(() => void handled.push(10))
  expect(handled.at(-1)).toBe(10)
})
