import { expect, test } from 'bun:test'
import { RateCounter } from '#lib/rate-counter.ts'

const clock = { time: 1_000_000, now: () => clock.time }
const limit = { key: 'ada', maxPerWindow: 2, windowMs: 60_000 }

test('counts up to the limit, then tells the seconds until the window ends', () => {
  const counter = new RateCounter(clock)
  expect([counter.take(limit), counter.take(limit), counter.take(limit)]).toEqual([null, null, 60])
  clock.time += 59_500
  expect(counter.take(limit)).toBe(1)
  expect(counter.take({ ...limit, key: 'bob' })).toBeNull()
  clock.time += 500
  expect(counter.take(limit)).toBeNull()
})

test('a request that is taken back leaves room for another', () => {
  const counter = new RateCounter(clock)
  counter.take(limit)
  counter.take(limit)
  counter.undo(limit)
  counter.undo({ key: 'nobody' })
  expect([counter.take(limit), counter.take(limit)]).toEqual([null, 60])
})

test('a clock that is set back does not lock anyone out', () => {
  const counter = new RateCounter(clock)
  counter.take(limit)
  counter.take(limit)
  clock.time -= 3_600_000
  expect(counter.take(limit)).toBeNull()
})
