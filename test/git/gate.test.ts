import { expect, test } from 'bun:test'
import { Gate, MOST_WAITING } from '../../src/git/gate.ts'

const on = (party: string, store = 's') => ({ party, store })

/** Lets what is waiting for a place that is free go in. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('one who asks for fifty things holds nobody up who asks for one', async () => {
  const gate = new Gate(3)
  const order: string[] = []
  const leaves: (() => void)[] = []
  const ask = (party: string, name: string) =>
    gate.enter(on(party)).then((leave) => {
      order.push(name)
      leaves.push(leave)
    })
  for (let i = 0; i < 50; i++) void ask('greedy', `greedy ${i}`)
  await settled()
  // One of three places stays open, whatever one party asks for.
  expect(order).toEqual(['greedy 0', 'greedy 1'])
  void ask('modest', 'modest')
  await settled()
  expect(order.at(-1)).toBe('modest')
  // With all places taken, whoever has none is next.
  void ask('late', 'late')
  await settled()
  expect(order).not.toContain('late')
  leaves[0]?.()
  await settled()
  expect(order.at(-1)).toBe('late')
  leaves[1]?.()
  await settled()
  expect([order.at(-1), gate.running, gate.waiting]).toEqual(['greedy 2', 3, 47])
})

test('a repository that everybody wants leaves room for the others', async () => {
  const gate = new Gate(2)
  const order: string[] = []
  const enter = (party: string, store: string) =>
    gate.enter({ party, store }).then((leave) => {
      order.push(`${party} ${store}`)
      return leave
    })
  const first = await enter('a', 'popular')
  const second = await enter('b', 'popular')
  for (const party of ['c', 'd', 'e']) void enter(party, 'popular')
  void enter('f', 'quiet')
  first()
  await settled()
  expect(order.slice(2)).toEqual(['f quiet'])
  second()
  await settled()
  expect(order.slice(3)).toEqual(['c popular'])
})

test('the same in the order they came, and a place is freed once', async () => {
  const gate = new Gate(1)
  const order: number[] = []
  const first = await gate.enter(on('a'))
  for (const number of [1, 2, 3]) {
    void gate.enter(on('a')).then((leave) => {
      order.push(number)
      leave()
      leave()
    })
  }
  first()
  first()
  await settled()
  expect([order, gate.running, gate.waiting]).toEqual([[1, 2, 3], 0, 0])
})

test('who gives up leaves the line, and a line that is too long is not joined', async () => {
  const gate = new Gate(1)
  const leave = await gate.enter(on('a'))
  const given = new AbortController()
  const waiting = gate.enter({ ...on('b'), signal: given.signal })
  given.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  expect(gate.waiting).toBe(0)
  const line = Array.from({ length: MOST_WAITING }, () => gate.enter(on('b')))
  await expect(gate.enter(on('c'))).rejects.toMatchObject({ code: 'busy' })
  leave()
  for (const next of line) (await next)()
  expect([gate.running, gate.waiting]).toEqual([0, 0])
})
