import { afterEach, expect, test } from 'bun:test'
import { EventLoopProbe } from '#lib/event-loop-probe.ts'
import { MINUTE } from '#lib/time.ts'

const open: EventLoopProbe[] = []
afterEach(() => {
  for (const probe of open.splice(0)) probe.close()
})

/** A probe whose clocks the test moves. `turn` lets time pass before the probe measures. */
function makeProbe() {
  const at = { now: 0, cpu: 0 }
  const probe = new EventLoopProbe({ now: () => at.now, cpu: () => at.cpu })
  open.push(probe)
  const turn = (ms: number, cpuMs: number) => {
    at.now += ms
    at.cpu += cpuMs
    probe.measure()
  }
  return { probe, turn }
}

test('a turn is as long as the timer is late, and its CPU is told apart', () => {
  const { probe, turn } = makeProbe()
  probe.wake()
  for (let i = 0; i < 5; i++) turn(10, 1)
  expect(probe.takeLongest()).toEqual({ ms: 0, cpuMs: 0 })
  turn(90, 70)
  turn(50, 1)
  turn(10, 1)
  expect(probe.takeLongest()).toEqual({ ms: 80, cpuMs: 70 })
  // The first reader took it; the minute still knows it.
  expect(probe.takeLongest()).toEqual({ ms: 0, cpuMs: 0 })
  expect(probe.longestOfMinute()).toEqual({ ms: 80, cpuMs: 70 })
})

test('a turn is forgotten a minute later', () => {
  const { probe, turn } = makeProbe()
  probe.wake()
  turn(510, 500)
  for (let passed = 0; passed < MINUTE - 10_000; passed += 10) turn(10, 0)
  expect(probe.longestOfMinute().ms).toBe(500)
  for (let passed = 0; passed < 11_000; passed += 10) turn(10, 0)
  expect(probe.longestOfMinute().ms).toBe(0)
})

test('work on the real thread is measured, also when the timer has not fired since', async () => {
  const probe = new EventLoopProbe()
  open.push(probe)
  probe.wake()
  const until = performance.now() + 150
  while (performance.now() < until);
  expect(probe.takeLongest().ms).toBeGreaterThanOrEqual(135)
})

test('the probe sleeps after a second without work, and wakes for it', () => {
  const at = { now: 0, cpu: 0 }
  const timers: (() => void)[] = []
  const probe = new EventLoopProbe({ now: () => at.now, cpu: () => at.cpu }, (tick) => {
    timers.push(tick)
    return () => void timers.splice(timers.indexOf(tick), 1)
  })
  const pass = (ms: number, cpuMs: number) => {
    at.now += ms
    at.cpu += cpuMs
    for (const tick of [...timers]) tick()
  }
  expect(probe.isAwake).toBe(false)
  probe.wake()
  expect(probe.isAwake).toBe(true)
  // A tenth of a core is work.
  for (let i = 0; i < 300; i++) pass(10, 1)
  expect(probe.isAwake).toBe(true)
  for (let i = 0; i < 101; i++) pass(10, 0.1)
  expect(probe.isAwake).toBe(false)
  // Work that no request began is noticed within a second.
  pass(1000, 300)
  expect(probe.isAwake).toBe(true)
  expect(timers).toHaveLength(1)
  probe.close()
  expect(timers).toHaveLength(0)
  probe.wake()
  expect(timers).toHaveLength(0)
})

test('quiet after much work is told once, and once more after minutes; little work or a short pause is not', () => {
  const at = { now: 0, cpu: 0 }
  let tick = (): void => {}
  let quiet = 0
  let longQuiet = 0
  const probe = new EventLoopProbe(
    { now: () => at.now, cpu: () => at.cpu },
    (run) => {
      tick = run
      return () => {}
    },
    () => quiet++,
    () => longQuiet++,
  )
  open.push(probe)
  const second = (cpuMs: number): void => {
    at.now += 1000
    at.cpu += cpuMs
    tick()
  }
  for (let passed = 0; passed < 100; passed++) second(10)
  expect(quiet).toBe(0)
  for (let passed = 0; passed < 5; passed++) second(500)
  for (let passed = 0; passed < 14; passed++) second(1)
  expect(quiet).toBe(0)
  second(60)
  for (let passed = 0; passed < 14; passed++) second(1)
  expect(quiet).toBe(0)
  second(1)
  expect(quiet).toBe(1)
  for (let passed = 0; passed < 100; passed++) second(10)
  second(60)
  for (let passed = 0; passed < 299; passed++) second(10)
  expect([quiet, longQuiet]).toEqual([1, 0])
  for (let passed = 0; passed < 1000; passed++) second(10)
  expect([quiet, longQuiet]).toEqual([1, 1])
})
