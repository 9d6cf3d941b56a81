import { expect, test } from 'bun:test'
import { getJob } from '#features/workflows/jobs/get-job.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('is found in its own repository only', async () => {
  const { push, take, world, ada } = await makeRunsWorld()
  await push()
  const id = (await take())?.id ?? ''
  expect(await world.call(getJob, ada, { ...REPO, id })).toMatchObject({
    name: 'build',
    status: 'in_progress',
    needs: [],
    runner: { id: null, name: 'local', labels: ['ubuntu-latest'] },
  })
  await world.repo('acme/other', { as: ada })
  expect((await refusal(world.call(getJob, ada, { repo: 'acme/other', id }))).status).toBe(404)
})

test('says where in a line an annotation is', async () => {
  const { push, take, finish, world, ada } = await makeRunsWorld()
  await push()
  const job = await take()
  const place = { file: 'a.c', line: 2, end_line: 3, column: 7 }
  await finish(job, {
    annotations: [{ ...place, step: 1, level: 'warning', title: null, message: 'unused' }],
  })
  const { annotations } = await world.call(getJob, ada, { ...REPO, id: job?.id ?? '' })
  expect(annotations).toEqual([
    { ...place, step: 1, level: 'warning', title: null, message: 'unused' },
  ])
})
