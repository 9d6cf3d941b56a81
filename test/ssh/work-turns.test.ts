/** How much is encrypted in one turn of the event loop. */
import { expect, test } from 'bun:test'
import { encryptionTurns } from '#src/ssh/work-turns.ts'

const KIB = 1024
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a turn encrypts a quarter of a megabyte of all connections together, and the rest waits in order', async () => {
  const turns = encryptionTurns()
  const encrypted: string[] = []
  /** A client that takes whatever it is given. */
  const send = (name: string, parts: number): void =>
    turns.run(() => {
      encrypted.push(name)
      if (parts > 1) process.nextTick(() => send(name, parts - 1))
      return 128 * KIB
    })
  const ended: number[] = []
  const endTurn = async (): Promise<void> => {
    await turn()
    ended.push(encrypted.length)
  }
  turns.run(() => 0)
  const first = endTurn()
  send('a', 7)
  send('b', 5)
  await first
  for (let at = 0; at < 5; at++) await endTurn()
  expect(ended).toEqual([4, 6, 8, 10, 12, 12])
  expect(encrypted.join('')).toBe('abababababaa')
})

test('what encrypts nothing takes no part of a turn', async () => {
  const turns = encryptionTurns()
  let calls = 0
  for (let at = 0; at < 100; at++)
    turns.run(() => {
      calls++
      return 0
    })
  expect(calls).toBe(100)
  await turn()
  turns.run(() => ++calls)
  expect(calls).toBe(101)
})
