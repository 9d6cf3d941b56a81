import { expect, test } from 'bun:test'
import {
  AttemptLimiter,
  type AttemptSource,
  delayAfter,
} from '#features/accounts/sign-in/attempt-limiter.ts'
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
    const result = world.limiter.attempt(name, check, { network: place })
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

const stranger = (id: string): AttemptSource => ({ id, isKnown: false })
const known = (id: string): AttemptSource => ({ id, isKnown: true })
const settled = () => Bun.sleep(0)

test('strangers who fill the queue of a name keep its owner out from nowhere', async () => {
  const world = makeLimiter()
  await fail(world, 'ada', 8)
  const attempts = [1, 2, 3, 4].map(() =>
    world.limiter.attempt('ada', wrong, { source: stranger('far') }),
  )
  await settled()
  expect(
    (await refusal(world.limiter.attempt('ada', wrong, { source: stranger('far') }))).reason,
  ).toBe('concurrency')
  // From where the owner signed in before there is neither a queue nor a delay.
  const waits = world.waits.length
  expect(await world.limiter.attempt('ada', right, { source: known('home') })).toBe(true)
  expect(world.waits).toHaveLength(waits)
  // From anywhere else the owner is next after the attempt that runs.
  const ended: string[] = []
  const owner = world.limiter.attempt('ada', right, { source: stranger('hotel') })
  void owner.then(() => ended.push('owner'))
  for (const attempt of attempts) void attempt.then(() => ended.push('stranger'))
  for (let i = 0; i < 5; i++) {
    await settled()
    world.release()
  }
  await Promise.all([owner, ...attempts])
  expect(ended.slice(0, 2)).toEqual(['stranger', 'owner'])
})

test('many networks share the queue: one with few attempts takes the place of one with many', async () => {
  const world = makeLimiter()
  await fail(world, 'ada', 1)
  const refused: string[] = []
  const attempts: Promise<unknown>[] = []
  for (let network = 0; network < 22; network++)
    for (let i = 0; i < 3; i++)
      attempts.push(
        world.limiter
          .attempt('ada', wrong, { source: stranger(`network ${network}`) })
          .catch((error: { reason: string }) => refused.push(error.reason)),
      )
  const owner = world.limiter.attempt('ada', right, { source: stranger('hotel') })
  let isDone = false
  void owner.then(() => (isDone = true))
  for (let turn = 0; turn < 30 && !isDone; turn++) {
    await settled()
    world.release()
  }
  expect(await owner).toBe(true)
  expect(refused.length).toBeGreaterThan(0)
  for (let turn = 0; turn < 66; turn++) {
    await settled()
    world.release()
  }
  await Promise.all(attempts)
})

test('a known source has a delay of its own for its own wrong attempts', async () => {
  const world = makeLimiter()
  const tried = async (source: AttemptSource) => {
    const before = world.waits.length
    const result = world.limiter.attempt('ada', wrong, { source })
    await settled()
    world.release()
    await result
    return world.waits.slice(before)
  }
  expect(await tried(known('home'))).toEqual([])
  expect(await tried(known('home'))).toEqual([250])
  expect(await tried(known('home'))).toEqual([500])
  expect(await tried(stranger('far'))).toEqual([])
  expect(await tried(stranger('farther'))).toEqual([250])
})

test('a client that disconnects leaves its place, and its guess is not checked', async () => {
  const world = makeLimiter()
  await fail(world, 'ada', 3)
  const waiting = Array.from({ length: 4 }, () => new AbortController())
  let checked = 0
  const attempts = waiting.map(({ signal }) =>
    world.limiter
      .attempt('ada', async () => ++checked > 100, { source: stranger('far'), signal })
      .catch((error: Error) => error.message),
  )
  await settled()
  for (const controller of waiting.slice(1)) controller.abort(new Error('the client is gone'))
  expect(await Promise.all(attempts.slice(1))).toEqual(Array(3).fill('the client is gone'))
  // Places are free again.
  const next = world.limiter.attempt('ada', right, { source: stranger('far') })
  await settled()
  world.release()
  await attempts[0]
  await settled()
  world.release()
  expect(await next).toBe(true)
  expect(checked).toBe(1)
})

test('the time since the last wrong attempt counts as waited', async () => {
  const world = makeLimiter()
  world.clock.at = 1000
  await fail(world, 'ada', 4)
  const tried = async () => {
    const before = world.waits.length
    const result = world.limiter.attempt('ada', wrong)
    await settled()
    world.release()
    await result
    return world.waits.slice(before)
  }
  world.clock.at += 1500
  expect(await tried()).toEqual([500])
  world.clock.at += 60_000
  expect(await tried()).toEqual([])
})
