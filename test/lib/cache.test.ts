import { expect, test } from 'bun:test'
import { createCache } from '#lib/cache.ts'

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
