import { expect, test } from 'bun:test'
import { delayAfter, AttemptLimiter } from '#features/accounts/sign-in/attempt-limiter.ts'
import { HOUR } from '#lib/time.ts'
import { refusal } from '../../../world.ts'

/** A limiter that records its delays. The test ends each delay with `release`. */
function makeLimiter(options: { resetsOnSuccess?: boolean } = {}) {
  const waits: number[] = []
  const open: (() => void)[] = []
  const clock = { at: 0 }
  const limiter = new AttemptLimiter(() => clock.at, {
    ...options,
    wait: (milliseconds) => {
      waits.push(milliseconds)
      return new Promise((resolve) => open.push(resolve))
    },
  })
  return { limiter, waits, clock, release: () => open.shift()?.() }
}

const wrong = async () => false
const right = async () => true

async function fail(
  world: ReturnType<typeof makeLimiter>,
  name: string,
  times: number,
): Promise<void> {
  for (let i = 0; i < times; i++) {
    const tried = world.limiter.attempt(name, wrong)
    await Bun.sleep(0)
    world.release()
    expect(await tried).toBe(false)
  }
}

test('delays grow with every wrong password, up to eight seconds', async () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 50].map(delayAfter)).toEqual([
    0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000,
  ])
  const world = makeLimiter()
  await fail(world, 'ada', 4)
  expect(world.waits).toEqual([250, 500, 1000])
})

test('wrong passwords delay only their own account', async () => {
  const world = makeLimiter()
  await fail(world, 'ada', 3)
  const stuck = world.limiter.attempt('ada', wrong)
  const before = world.waits.length
  expect(await world.limiter.attempt('bob', right)).toBe(true)
  await Bun.sleep(0)
  expect(world.waits.length - before).toBeLessThanOrEqual(1)
  world.release()
  await stuck
})

test('the correct password resets the delay', async () => {
  const world = makeLimiter()
  await fail(world, 'ada', 2)
  const tried = world.limiter.attempt('ada', right)
  await Bun.sleep(0)
  world.release()
  expect(await tried).toBe(true)
  const waited = world.waits.length
  expect(await world.limiter.attempt('ada', right)).toBe(true)
  expect(world.waits).toHaveLength(waited)
})

test('tries at once go one after the other, and too many are refused', async () => {
  const world = makeLimiter()
  let running = 0
  let most = 0
  let first: () => void = () => {}
  const slow = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => (first = resolve))
    running--
    return true
  }
  const tries = [1, 2, 3, 4].map(() => world.limiter.attempt('ada', slow))
  const refused = await refusal(world.limiter.attempt('ada', slow))
  expect([refused.status, refused.reason, refused.headers['Retry-After']]).toEqual([
    429,
    'concurrency',
    '8',
  ])
  for (const tried of tries) {
    await Bun.sleep(0)
    first()
    expect(await tried).toBe(true)
  }
  expect(most).toBe(1)
})

test('a check that throws neither counts nor blocks the next attempt', async () => {
  const { limiter, waits } = makeLimiter()
  await expect(limiter.attempt('ada', () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  )
  expect(await limiter.attempt('ada', right)).toBe(true)
  expect(waits).toEqual([])
})

test('an hour without attempts resets the delay', async () => {
  const world = makeLimiter()
  await fail(world, 'ada', 3)
  world.clock.at += HOUR + 1
  const before = world.waits.length
  expect(await world.limiter.attempt('ada', wrong)).toBe(false)
  expect(world.waits).toHaveLength(before)
})

test('what goes wrong around somebody counts against those who were wrong themselves, and nobody else', async () => {
  const world = makeLimiter({ resetsOnSuccess: false })
  const tried = async (name: string, check: () => Promise<boolean>, place: string) => {
    const before = world.waits.length
    const result = world.limiter.attempt(name, check, place)
    await Bun.sleep(0)
    world.release()
    await result
    return world.waits.slice(before)
  }
  // One wrong attempt from each of many accounts causes no delay.
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    expect(await tried(name, wrong, 'at office')).toEqual([])
  // From the second wrong attempt on, all attempts of the network count.
  expect(await tried('a', wrong, 'at office')).toEqual([4000])
  expect(await tried('b', wrong, 'at office')).toEqual([8000])
  expect(await tried('neighbour', right, 'at office')).toEqual([])
  expect(await tried('c', wrong, 'at home')).toEqual([250])
})

test('with resetsOnSuccess off a correct attempt keeps the delay', async () => {
  const world = makeLimiter({ resetsOnSuccess: false })
  await fail(world, 'ada', 3)
  const tried = world.limiter.attempt('ada', right)
  await Bun.sleep(0)
  world.release()
  expect(await tried).toBe(true)
  const again = world.limiter.attempt('ada', right)
  await Bun.sleep(0)
  world.release()
  expect(await again).toBe(true)
  expect(world.waits).toEqual([250, 500, 1000, 1000])
})
