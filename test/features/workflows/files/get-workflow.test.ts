import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getWorkflow } from '#features/workflows/files/get-workflow.ts'
import { refusal } from '../../../world.ts'
import { FILE, makeRunsWorld, REPO } from '../fixture.ts'

test('is found in its own repository only', async () => {
  const { push, runs, world, ada } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.workflow_id ?? ''
  expect((await world.call(getWorkflow, anonymous, { ...REPO, id })).path).toBe(FILE)
  await world.repo('acme/other', { as: ada })
  for (const input of [
    { repo: 'acme/other', id },
    { ...REPO, id: 'wfl_none' },
  ])
    expect((await refusal(world.call(getWorkflow, ada, input))).status).toBe(404)
})
