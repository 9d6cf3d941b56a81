import { expect, test } from 'bun:test'
import { cache, service } from '#core/service.ts'
import { makeWorld } from '../world.ts'

test('a service is created once for each forge and closed with it, the last one first', async () => {
  const closed: string[] = []
  const counter = service('counter', () => ({ count: 0 }), {
    close: () => void closed.push('counter'),
  })
  const reader = service('reader', (hearth) => counter(hearth), {
    close: () => Promise.reject(new Error('cannot close')),
  })
  const [one, other] = [await makeWorld(), await makeWorld()]
  counter(one.hearth).count++
  expect(reader(one.hearth)).toBe(counter(one.hearth))
  expect([counter(one.hearth).count, counter(other.hearth).count]).toEqual([1, 0])
  await one.hearth.services.close()
  expect(closed).toEqual(['counter'])
  expect(() => counter(one.hearth)).toThrow('the forge is closed')
  expect(counter(other.hearth).count).toBe(0)
})

test('caches share one budget: the largest gives way, and each reports its bytes', async () => {
  const { hearth } = await makeWorld()
  const budget = hearth.caches.maxBytes
  const sizeOf = (value: { bytes: number }) => value.bytes
  const large = cache('large', { maxSize: budget, sizeOf })(hearth)
  const small = cache('small', { maxSize: budget, sizeOf })(hearth)
  small.set('a', { bytes: budget / 4 })
  large.set('a', { bytes: budget / 2 })
  large.set('b', { bytes: budget / 4 })
  expect(hearth.caches.bytes).toBe(budget)
  small.set('b', { bytes: 1 })
  expect([large.get('a'), large.get('b')]).toEqual([undefined, { bytes: budget / 4 }])
  expect([small.get('a'), small.get('b')]).toEqual([{ bytes: budget / 4 }, { bytes: 1 }])
  const own = hearth.caches.report().filter(({ name }) => name === 'large' || name === 'small')
  expect(own).toEqual([
    { name: 'large', bytes: budget / 4, maxBytes: budget, entries: 1 },
    { name: 'small', bytes: budget / 4 + 1, maxBytes: budget, entries: 2 },
  ])
  expect(() => hearth.caches.create('small', { maxSize: 1, sizeOf: () => 1 })).toThrow('two caches')
})
