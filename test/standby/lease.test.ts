import { expect, test } from 'bun:test'
import { Lease, takeOverDelayMs } from '#src/standby/lease.ts'

/** A lease of three seconds with clocks that a test moves. */
function makeLease() {
  const at = { wall: 1_000_000, monotonic: 500 }
  const lease = new Lease(3000, { now: () => at.wall }, () => at.monotonic)
  const pass = (ms: number): void => {
    at.wall += ms
    at.monotonic += ms
  }
  return { at, lease, pass }
}

test('a lease begins with the question, not with its answer', () => {
  const { lease, pass } = makeLease()
  expect(lease.left_ms).toBe(0)
  const asked = lease.ask()
  pass(1000)
  lease.answer(asked)
  expect(lease.left_ms).toBe(2000)
  pass(2000)
  expect(lease.left_ms).toBe(0)
})

test('a machine that was suspended sees the end in its wall clock', () => {
  const { at, lease } = makeLease()
  lease.answer(lease.ask())
  at.wall += 60_000
  expect(lease.left_ms).toBe(0)
})

test('a clock that is set back does not make it longer', () => {
  const { at, lease, pass } = makeLease()
  lease.answer(lease.ask())
  at.wall -= 3_600_000
  pass(3000)
  expect(lease.left_ms).toBe(0)
})

test('an older answer, and one to no question, change nothing', () => {
  const { lease, pass } = makeLease()
  const first = lease.ask()
  pass(1000)
  const second = lease.ask()
  lease.answer(second)
  lease.answer(first)
  lease.answer(123_456)
  expect(lease.left_ms).toBe(3000)
})

test('a standby waits longer than the lease lasts', () => {
  expect(takeOverDelayMs(3000)).toBeGreaterThan(3000)
})
