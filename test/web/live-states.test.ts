import { expect, test } from 'bun:test'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { LiveStates, subjectKey } from '#web/live-states.ts'

const { signal } = new AbortController()

function counting() {
  let count = 0
  const compute = () => {
    count++
    return Promise.resolve(`state ${count}`)
  }
  return { reader: { compute, signal }, count: () => count }
}

test('many readers of a subject cost one computation for each burst', async () => {
  const states = new LiveStates(20)
  const { reader, count } = counting()
  const leave = Array.from({ length: 200 }, () => states.join('a'))
  expect(states.readersOf('a')).toBe(200)
  const all = () => Promise.all(leave.map(() => states.state('a', reader)))
  expect(new Set(await all())).toEqual(new Set(['state 1']))
  const bursts = await Promise.all([all(), all(), all()])
  expect(new Set(bursts.flat())).toEqual(new Set(['state 2']))
  expect(count()).toBe(2)
  for (const one of leave) one()
  expect(states.readersOf('a')).toBe(0)
})

test('a computation that has begun is not shared: it may have missed the event', async () => {
  const states = new LiveStates(0)
  states.join('a')
  const first = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const slow = states.state('a', {
    compute: () => {
      begun.resolve()
      return first.promise
    },
    signal,
  })
  await begun.promise
  const second = states.state('a', { compute: () => Promise.resolve('new'), signal })
  first.resolve('old')
  expect([await slow, await second]).toEqual(['old', 'new'])
})

test('a reader that leaves does not take the others with it; an error reaches all', async () => {
  const states = new LiveStates(0)
  states.join('a')
  const gone = new AbortController()
  const failing = states.state('a', {
    compute: () => {
      gone.abort()
      return Promise.reject(new Error('left'))
    },
    signal: gone.signal,
  })
  const other = states.state('a', { compute: () => Promise.resolve('here'), signal })
  expect([await failing, await other]).toEqual(['here', 'here'])
  const bad = { compute: () => Promise.reject(new Error('broken')), signal }
  const results = await Promise.allSettled([states.state('a', bad), states.state('a', bad)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a subject is a page and what its caller may see', () => {
  const url = (query: string) => new URL(`https://x.test/a/b/issues/1/live?${query}`)
  const user = { kind: 'user', id: 'usr_1', sign_in: 'sgn_1', token: null } as UserCaller
  expect(subjectKey(url('state=1'), anonymous)).toBe(subjectKey(url('state=2'), anonymous))
  expect(subjectKey(url('base=a'), anonymous)).not.toBe(subjectKey(url('base=b'), anonymous))
  expect(subjectKey(url(''), user)).toBe(subjectKey(url(''), { ...user, sign_in: 'sgn_2' }))
  expect(subjectKey(url(''), user)).not.toBe(subjectKey(url(''), { ...user, id: 'usr_2' }))
  expect(subjectKey(url(''), user)).not.toBe(subjectKey(url(''), anonymous))
})

test('states of many readers are not computed in one turn of the event loop', async () => {
  const states = new LiveStates(0)
  let turn = 0
  let timer = setImmediate(function count() {
    turn++
    timer = setImmediate(count)
  })
  const turns: number[] = []
  const compute = () => {
    turns.push(turn)
    return Promise.resolve('state')
  }
  const keys = Array.from({ length: 30 }, (_, at) => `person ${at}`)
  for (const key of keys) states.join(key)
  await Promise.all(keys.map((key) => states.state(key, { compute, signal })))
  clearImmediate(timer)
  const perTurn = Map.groupBy(turns, (one) => one)
  expect(turns).toHaveLength(30)
  for (const computed of perTurn.values()) expect(computed.length).toBeLessThanOrEqual(2)
})
