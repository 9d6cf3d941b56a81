import { expect, test } from 'bun:test'
import { once } from '../../src/lib/once.ts'

test('a value is computed at the first call and remembered, also when it is undefined', () => {
  let calls = 0
  const value = once(() => void calls++)
  expect(calls).toBe(0)
  expect([value(), value()]).toEqual([undefined, undefined])
  expect(calls).toBe(1)
})

test('a computation that throws is tried again', () => {
  let calls = 0
  const value = once(() => {
    if (++calls === 1) throw new Error('not yet')
    return calls
  })
  expect(value).toThrow('not yet')
  expect([value(), value()]).toEqual([2, 2])
})
