import { expect, test } from 'bun:test'
import { DEFAULT_MAX_WAITING, FairSemaphore } from '#lib/semaphore.ts'

const by = (caller: string, resource = 's') => ({ caller, resource })

const semaphoreOf = (
  limit: number | (() => number),
  maxPerCaller?: number | (() => number),
): FairSemaphore =>
  new FairSemaphore({
    limit,
    ...(maxPerCaller === undefined ? {} : { maxPerCaller }),
    fullError: () => Object.assign(new Error('the queue is full'), { code: 'busy' }),
    abortError: () => Object.assign(new Error('aborted'), { code: 'aborted' }),
  })

/** Lets waiters that were granted a permit run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a caller with fifty requests does not delay a caller with one', async () => {
  const semaphore = semaphoreOf(3)
  const order: string[] = []
  const releases: (() => void)[] = []
  const acquire = (caller: string, name: string) =>
    semaphore.acquire(by(caller)).then((release) => {
      order.push(name)
      releases.push(release)
    })
  for (let i = 0; i < 50; i++) void acquire('greedy', `greedy ${i}`)
  await settled()
  // One of three permits stays free for another caller.
  expect(order).toEqual(['greedy 0', 'greedy 1'])
  void acquire('modest', 'modest')
  await settled()
  expect(order.at(-1)).toBe('modest')
  // With all permits in use, a caller without any is next.
  void acquire('late', 'late')
  await settled()
  expect(order).not.toContain('late')
  releases[0]?.()
  await settled()
  expect(order.at(-1)).toBe('late')
  releases[1]?.()
  await settled()
  expect([order.at(-1), semaphore.running, semaphore.waiting]).toEqual(['greedy 2', 3, 47])
})

test('a popular repository does not block the others', async () => {
  const semaphore = semaphoreOf(2)
  const order: string[] = []
  const acquire = (caller: string, resource: string) =>
    semaphore.acquire({ caller, resource }).then((release) => {
      order.push(`${caller} ${resource}`)
      return release
    })
  const first = await acquire('a', 'popular')
  const second = await acquire('b', 'popular')
  for (const caller of ['c', 'd', 'e']) void acquire(caller, 'popular')
  void acquire('f', 'quiet')
  first()
  await settled()
  expect(order.slice(2)).toEqual(['f quiet'])
  second()
  await settled()
  expect(order.slice(3)).toEqual(['c popular'])
})

test('equals are served in order of arrival, and a permit is released once', async () => {
  const semaphore = semaphoreOf(1)
  const order: number[] = []
  const first = await semaphore.acquire(by('a'))
  for (const number of [1, 2, 3]) {
    void semaphore.acquire(by('a')).then((release) => {
      order.push(number)
      release()
      release()
    })
  }
  first()
  first()
  await settled()
  expect([order, semaphore.running, semaphore.waiting]).toEqual([[1, 2, 3], 0, 0])
})

test('an aborted waiter leaves the queue, and a full queue rejects', async () => {
  const semaphore = semaphoreOf(1)
  const release = await semaphore.acquire(by('a'))
  const aborter = new AbortController()
  const waiting = semaphore.acquire({ ...by('b'), signal: aborter.signal })
  aborter.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  expect(semaphore.waiting).toBe(0)
  const queue = Array.from({ length: DEFAULT_MAX_WAITING }, () => semaphore.acquire(by('b')))
  await expect(semaphore.acquire(by('b'))).rejects.toMatchObject({ code: 'busy' })
  release()
  for (const next of queue) (await next)()
  expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
})

test('with one permit callers take turns too', async () => {
  const semaphore = semaphoreOf(1)
  const order: string[] = []
  const first = await semaphore.acquire(by('greedy'))
  const acquire = (caller: string) =>
    semaphore.acquire(by(caller)).then((release) => {
      order.push(caller)
      release()
    })
  const all = ['greedy', 'greedy', 'greedy', 'modest', 'modest', 'late'].map(acquire)
  first()
  await Promise.all(all)
  expect(order).toEqual(['modest', 'late', 'greedy', 'modest', 'greedy', 'greedy'])
})

test('a full queue is shared: the newest of the caller with the most waiters makes room', async () => {
  const semaphore = new FairSemaphore({
    limit: 1,
    maxWaiting: 4,
    fullError: () => new Error('the queue is full'),
  })
  const release = await semaphore.acquire(by('greedy'))
  const ended: string[] = []
  const acquire = (caller: string, name: string) =>
    semaphore.acquire(by(caller)).then(
      (free) => {
        ended.push(name)
        free()
      },
      () => void ended.push(`${name} refused`),
    )
  const all = [1, 2, 3, 4].map((number) => acquire('greedy', `greedy ${number}`))
  all.push(acquire('a', 'a'))
  await settled()
  expect(ended).toEqual(['greedy 4 refused'])
  all.push(acquire('b', 'b'))
  await settled()
  expect(ended).toEqual(['greedy 4 refused', 'greedy 3 refused'])
  // Two of greedy, one of a, one of b: a second of a would only swap the roles.
  all.push(acquire('a', 'a again'), acquire('greedy', 'greedy again'))
  await settled()
  expect(ended.slice(2)).toEqual(['a again refused', 'greedy again refused'])
  release()
  await Promise.all(all)
  expect(ended.slice(4)).toEqual(['a', 'b', 'greedy 1', 'greedy 2'])
  expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
})

test('one caller has at most its own number of waiters', async () => {
  const semaphore = new FairSemaphore({
    limit: 1,
    maxWaitingPerCaller: 1,
    fullError: () => new Error('the queue is full'),
  })
  const release = await semaphore.acquire(by('a'))
  const waiting = [semaphore.acquire(by('a')), semaphore.acquire(by('b'))]
  await expect(semaphore.acquire(by('a'))).rejects.toThrow('the queue is full')
  release()
  await Promise.all(waiting.map(async (next) => (await next)()))
  expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
})

test('without a limit in total each caller has permits of its own', async () => {
  let maxPerCaller = 1
  const semaphore = new FairSemaphore({
    limit: Infinity,
    maxPerCaller: () => maxPerCaller,
    fullError: () => new Error('the queue is full'),
  })
  const first = await semaphore.acquire({ caller: 'a' })
  expect([semaphore.isFree('a'), semaphore.isFree('b')]).toEqual([false, true])
  const aborter = new AbortController()
  const aborted = semaphore.acquire({ caller: 'a', signal: aborter.signal })
  aborter.abort(new Error('the client is gone'))
  await expect(aborted).rejects.toThrow('the client is gone')
  const second = semaphore.acquire({ caller: 'a' })
  for (const caller of ['b', 'c']) (await semaphore.acquire({ caller }))()
  expect([semaphore.running, semaphore.waiting]).toEqual([1, 1])
  first()
  ;(await second)()
  // The bound is read again at each decision.
  maxPerCaller = 2
  const both = [await semaphore.acquire({ caller: 'a' }), await semaphore.acquire({ caller: 'a' })]
  expect([semaphore.isFree('a'), semaphore.running]).toEqual([false, 2])
  for (const release of both) release()
})

test('a limit that changes counts for the permits in use', async () => {
  let limit = 3
  const semaphore = semaphoreOf(
    () => limit,
    () => limit,
  )
  const releases: (() => void)[] = []
  const acquire = () => void semaphore.acquire(by('a')).then((release) => releases.push(release))
  for (let i = 0; i < 6; i++) acquire()
  await settled()
  expect([semaphore.running, semaphore.waiting]).toEqual([3, 3])
  limit = 1
  acquire()
  releases[0]?.()
  releases[1]?.()
  await settled()
  expect([semaphore.running, semaphore.waiting]).toEqual([1, 4])
  limit = 3
  semaphore.grantFree()
  await settled()
  expect([semaphore.running, semaphore.waiting]).toEqual([3, 2])
})
