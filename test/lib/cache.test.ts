import { expect, test } from 'bun:test'
import { CacheBudget, createCache } from '#lib/cache.ts'

test('keeps up to its size, the least recently used leave first', () => {
  const cache = createCache<string>({ maxSize: 10, sizeOf: (value) => value.length })
  cache.set('a', 'xxxx')
  cache.set('b', 'yyyy')
  expect(cache.get('a')).toBe('xxxx')
  cache.set('c', 'zzzz')
  expect(cache.get('b')).toBeUndefined()
  expect(cache.get('a')).toBe('xxxx')
  expect(cache.size).toBe(2)
})

test('a value larger than the whole is not kept, and drives nothing out', () => {
  const cache = createCache<string>({ maxSize: 10, sizeOf: (value) => value.length })
  cache.set('a', 'x')
  cache.set('large', 'x'.repeat(11))
  expect(cache.get('large')).toBeUndefined()
  expect(cache.get('a')).toBe('x')
})

test('an empty value counts for something, so that their number is bounded too', () => {
  const cache = createCache<string>({ maxSize: 3, sizeOf: (value) => value.length })
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, '')
  expect(cache.size).toBe(3)
})

test('forgets on demand', () => {
  const cache = createCache<number>({ maxSize: 3, sizeOf: () => 1 })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.delete('a')
  expect(cache.get('a')).toBeUndefined()
  cache.clear()
  expect(cache.size).toBe(0)
})

test('a budget releases what its caches hold beyond a size', () => {
  const budget = new CacheBudget(1000)
  const large = budget.create<string>('large', { maxSize: 800, sizeOf: (value) => value.length })
  const small = budget.create<string>('small', { maxSize: 800, sizeOf: (value) => value.length })
  for (const key of ['a', 'b', 'c']) large.set(key, 'x'.repeat(100))
  small.set('d', 'y'.repeat(100))
  budget.release(150)
  expect([large.get('a'), large.get('b')]).toEqual([undefined, undefined])
  expect([large.get('c')?.length, small.get('d')?.length]).toEqual([100, 100])
  expect(budget.bytes).toBe(200)
})
