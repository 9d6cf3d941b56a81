import { expect, test } from 'bun:test'
import { delayAfter, PasswordGuard } from '#features/accounts/password-guard.ts'
import { HOUR } from '#lib/time.ts'
import { refusal } from '../../world.ts'

/** A guard whose waits are noted and end when the test says. */
function guarded(options: { forgives?: boolean } = {}) {
  const waits: number[] = []
  const open: (() => void)[] = []
  const clock = { at: 0 }
  const guard = new PasswordGuard(() => clock.at, {
    ...options,
    wait: (milliseconds) => {
      waits.push(milliseconds)
      return new Promise((resolve) => open.push(resolve))
    },
  })
  return { guard, waits, clock, release: () => open.shift()?.() }
}

const wrong = async () => false
const right = async () => true

async function fail(world: ReturnType<typeof guarded>, name: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const tried = world.guard.attempt(name, wrong)
    await Bun.sleep(0)
    world.release()
    expect(await tried).toBe(false)
  }
}

test('waits grow with every wrong password up to eight seconds', async () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 50].map(delayAfter)).toEqual([
    0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000,
  ])
  const world = guarded()
  await fail(world, 'ada', 4)
  expect(world.waits).toEqual([250, 500, 1000])
})

test('nobody waits for the wrong passwords of others', async () => {
  const world = guarded()
  await fail(world, 'ada', 3)
  const stuck = world.guard.attempt('ada', wrong)
  const before = world.waits.length
  expect(await world.guard.attempt('bob', right)).toBe(true)
  await Bun.sleep(0)
  expect(world.waits.length - before).toBeLessThanOrEqual(1)
  world.release()
  await stuck
})

test('the right password ends the waits', async () => {
  const world = guarded()
  await fail(world, 'ada', 2)
  const tried = world.guard.attempt('ada', right)
  await Bun.sleep(0)
  world.release()
  expect(await tried).toBe(true)
  const waited = world.waits.length
  expect(await world.guard.attempt('ada', right)).toBe(true)
  expect(world.waits).toHaveLength(waited)
})

test('tries at once go one after the other, and too many are refused', async () => {
  const world = guarded()
  let running = 0
  let most = 0
  let first: () => void = () => {}
  const slow = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => (first = resolve))
    running--
    return true
  }
  const tries = [1, 2, 3, 4].map(() => world.guard.attempt('ada', slow))
  const refused = await refusal(world.guard.attempt('ada', slow))
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

test('a check that breaks neither counts nor blocks the next', async () => {
  const { guard, waits } = guarded()
  await expect(guard.attempt('ada', () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  )
  expect(await guard.attempt('ada', right)).toBe(true)
  expect(waits).toEqual([])
})

test('an hour of quiet is forgiven', async () => {
  const world = guarded()
  await fail(world, 'ada', 3)
  world.clock.at += HOUR + 1
  const before = world.waits.length
  expect(await world.guard.attempt('ada', wrong)).toBe(false)
  expect(world.waits).toHaveLength(before)
})

test('what goes wrong around somebody counts against those who were wrong themselves, and nobody else', async () => {
  const world = guarded({ forgives: false })
  const tried = async (name: string, check: () => Promise<boolean>, place: string) => {
    const before = world.waits.length
    const result = world.guard.attempt(name, check, place)
    await Bun.sleep(0)
    world.release()
    await result
    return world.waits.slice(before)
  }
  // Many accounts of one guesser, once each, cost nothing yet ...
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    expect(await tried(name, wrong, 'at office')).toEqual([])
  // ... and from the second time on each waits as if all had been one.
  expect(await tried('a', wrong, 'at office')).toEqual([4000])
  expect(await tried('b', wrong, 'at office')).toEqual([8000])
  expect(await tried('neighbour', right, 'at office')).toEqual([])
  expect(await tried('c', wrong, 'at home')).toEqual([250])
})

test('where a right answer makes up for nothing, the waits go on', async () => {
  const world = guarded({ forgives: false })
  await fail(world, 'ada', 3)
  const tried = world.guard.attempt('ada', right)
  await Bun.sleep(0)
  world.release()
  expect(await tried).toBe(true)
  const again = world.guard.attempt('ada', right)
  await Bun.sleep(0)
  world.release()
  expect(await again).toBe(true)
  expect(world.waits).toEqual([250, 500, 1000, 1000])
})
