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
