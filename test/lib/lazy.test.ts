import { expect, test } from 'bun:test'
import { lazy, memoize } from '#lib/lazy.ts'

test('computes once, at the first call, also an undefined value', () => {
  let times = 0
  const value = lazy(() => {
    times++
    return undefined
  })
  expect(times).toBe(0)
  expect([value(), value()]).toEqual([undefined, undefined])
  expect(times).toBe(1)
})

test('memoize computes once for each text', () => {
  const asked: string[] = []
  const length = memoize((text) => {
    asked.push(text)
    return text === '' ? undefined : text.length
  })
  expect([length('ab'), length('ab'), length('c'), length(''), length('')]).toEqual([
    2,
    2,
    1,
    undefined,
    undefined,
  ])
  expect(asked).toEqual(['ab', 'c', ''])
})

test('a computation that throws is tried again', () => {
  let calls = 0
  const value = lazy(() => {
    if (++calls === 1) throw new Error('not yet')
    return calls
  })
  expect(value).toThrow('not yet')
  expect([value(), value()]).toEqual([2, 2])
})
