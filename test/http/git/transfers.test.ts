import { expect, test } from 'bun:test'
import { transferSemaphore } from '#http/git/transfers.ts'
import { testSettings } from '../../settings.ts'
import { makeForge } from '../forge.ts'

const semaphoreWith = (places_per_caller: number) => {
  const { git } = testSettings('/nowhere')
  return transferSemaphore(makeForge({ git: { ...git, places_per_caller } }).hearth)
}
const never = new AbortController().signal

test('one caller waits for their own permits, others do not', async () => {
  const semaphore = semaphoreWith(2)
  const acquire = (caller: string) => semaphore.acquire({ caller, signal: never })
  const order: string[] = []
  const first = await acquire('ada')
  await acquire('ada')
  const third = acquire('ada').then((release) => {
    order.push('third')
    return release
  })
  const fourth = acquire('ada').then(() => void order.push('fourth'))
  const other = await acquire('bob')
  expect(order).toEqual([])
  expect(semaphore.waiting).toBe(2)
  first()
  first()
  const release = await third
  expect(order).toEqual(['third'])
  release()
  await fourth
  expect(semaphore.waiting).toBe(0)
  other()
})

test('a caller that disconnects leaves the queue', async () => {
  const semaphore = semaphoreWith(1)
  const release = await semaphore.acquire({ caller: 'ada', signal: never })
  const given = new AbortController()
  const waiting = semaphore.acquire({ caller: 'ada', signal: given.signal })
  given.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(semaphore.waiting).toBe(0)
  release()
  ;(await semaphore.acquire({ caller: 'ada', signal: never }))()
})

test('a full queue refuses, but not callers that need not wait', async () => {
  const semaphore = semaphoreWith(1)
  await semaphore.acquire({ caller: 'ada', signal: never })
  for (let i = 0; i < 256; i++) void semaphore.acquire({ caller: 'ada', signal: never })
  await expect(semaphore.acquire({ caller: 'ada', signal: never })).rejects.toMatchObject({
    code: 'unavailable',
    headers: { 'retry-after': '30' },
  })
  ;(await semaphore.acquire({ caller: 'bob', signal: never }))()
})
