import { expect, test } from 'bun:test'
import { job } from '#core/jobs.ts'
import { insertJob } from '#core/jobs.ts'
import { getSiteStatus } from '#features/site/get-site-status.ts'
import { listJobsQueue } from '#features/site/list-jobs-queue.ts'
import { retryJob } from '#features/site/retry-job.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })
const ada = await world.user('ada')

test('a failed job is listed with its error and can be retried', async () => {
  const unknown = job<null>({ kind: 'of_another_release', retry: [], run: () => {} })
  const id = await world.write((tx) => insertJob(tx.db, unknown, null, tx.now_ms))
  await world.jobs()
  const { items } = await world.call(listJobsQueue, root, { state: 'failed' })
  expect(items).toMatchObject([
    {
      id,
      kind: 'of_another_release',
      state: 'failed',
      attempt: 1,
      error: 'no job is called of_another_release',
    },
  ])
  expect(JSON.stringify(items)).not.toContain('input')
  expect((await world.call(listJobsQueue, root, { kind: 'nothing' })).items).toEqual([])
  expect(
    (await world.call(getSiteStatus, root, {})).conditions.find(({ name }) => name === 'jobs'),
  ).toMatchObject({ state: 'attention' })
  expect(await world.call(retryJob, root, { id })).toMatchObject({
    id,
    state: 'waiting',
    attempt: 0,
  })
  await world.jobs()
  expect((await world.call(listJobsQueue, root, { state: 'failed' })).items).toMatchObject([
    { id, attempt: 1 },
  ])
  expect(await refusal(world.call(retryJob, root, { id: 'bgj_none' }))).toMatchObject({
    code: 'not_found',
  })
  expect(await refusal(world.call(retryJob, ada, { id }))).toMatchObject({ code: 'forbidden' })
})
