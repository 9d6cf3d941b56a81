import { expect, test } from 'bun:test'
import { disableWorkflow } from '#features/workflows/files/disable-workflow.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('events start a disabled workflow no more', async () => {
  const { push, runs, world, ada, bob } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.workflow_id ?? ''
  expect((await refusal(world.call(disableWorkflow, bob, { ...REPO, id }))).reason).toBe('role')
  expect((await world.call(disableWorkflow, ada, { ...REPO, id })).state).toBe('disabled')
  await push({ 'a.txt': 'a' })
  expect(await runs()).toHaveLength(1)
})
