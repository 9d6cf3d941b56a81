import { expect, test } from 'bun:test'
import { lazy } from '#lib/lazy.ts'

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
