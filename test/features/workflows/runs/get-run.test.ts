import { expect, test } from 'bun:test'
import { getRun } from '#features/workflows/runs/get-run.ts'
import { rerunWorkflowRun } from '#features/workflows/runs/rerun-workflow-run.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('an earlier attempt stays readable', async () => {
  const { push, drain, runs, world, ada } = await makeRunsWorld()
  await push()
  await drain('failure')
  const id = (await runs())[0]?.id ?? ''
  await world.call(rerunWorkflowRun, ada, { ...REPO, id })
  const get = (attempt?: number) => world.call(getRun, ada, { ...REPO, id, attempt })
  expect(await get()).toMatchObject({ attempt: 2, status: 'queued', conclusion: null })
  expect(await get(1)).toMatchObject({ attempt: 1, status: 'completed', conclusion: 'failure' })
  expect((await refusal(get(3))).status).toBe(404)
})

test('a private run is hidden from strangers', async () => {
  const { push, runs, world, ada, eve } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.id ?? ''
  const { setRepoVisibility } = await import('#features/repos/index.ts')
  await world.call(setRepoVisibility, ada, {
    ...REPO,
    private: true,
    confirm: 'acme/site',
  } as never)
  expect((await refusal(world.call(getRun, eve, { ...REPO, id }))).status).toBe(404)
})
