import { expect, test } from 'bun:test'
import { insertJob, job } from '#core/jobs.ts'
import { listJobsQueue } from '#features/site/list-jobs-queue.ts'
import { makeWorld, refusal } from '../../world.ts'

test('jobs are listed by state and kind, newest first, without their input', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const unknown = job<{ name: string }>({ kind: 'of_another_release', retry: [], run: () => {} })
  const ids = []
  for (const name of ['ada', 'bob'])
    ids.push(await world.write((tx) => insertJob(tx.db, unknown, { name }, tx.now_ms)))
  const list = async (input: object) => (await world.call(listJobsQueue, root, input)).items
  const waiting = await list({ state: 'waiting', kind: 'of_another_release' })
  expect(waiting.map(({ id }) => id)).toEqual(ids.reverse())
  expect(JSON.stringify(waiting)).not.toContain('bob')
  expect(await list({ state: 'failed' })).toEqual([])
  const ada = await world.user('ada')
  expect(await refusal(world.call(listJobsQueue, ada, {}))).toMatchObject({ reason: 'role' })
})

test('idle recurring jobs are listed apart, and failed jobs first', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const once = job<null>({ kind: 'once', retry: [], run: () => {} })
  const hourly = job<null>({ kind: 'hourly', retry: [], every: '1h', run: () => {} })
  const [failed] = await world.write((tx) => [
    insertJob(tx.db, once, null, tx.now_ms),
    insertJob(tx.db, once, null, tx.now_ms, { delay_ms: 60_000 }),
    insertJob(tx.db, hourly, null, tx.now_ms, { key: 'sweep', delay_ms: 60_000 }),
  ])
  await world.jobs()
  const list = async (input: object) => (await world.call(listJobsQueue, root, input)).items
  expect((await list({ idle: true })).map(({ kind }) => kind)).toEqual(['hourly'])
  const others = await list({ idle: false, sort: 'urgency' })
  expect(others.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    'once failed',
    'once waiting',
  ])
  expect(others[0]?.id).toBe(failed)
  expect((await list({})).map(({ kind }) => kind)).toEqual(['hourly', 'once', 'once'])
})
