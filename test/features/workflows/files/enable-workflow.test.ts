import { expect, test } from 'bun:test'
import { disableWorkflow } from '#features/workflows/files/disable-workflow.ts'
import { enableWorkflow } from '#features/workflows/files/enable-workflow.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('events start an enabled workflow again', async () => {
  const { push, runs, world, ada } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.workflow_id ?? ''
  await world.call(disableWorkflow, ada, { ...REPO, id })
  expect((await world.call(enableWorkflow, ada, { ...REPO, id })).state).toBe('active')
  await push({ 'a.txt': 'a' })
  expect((await runs()).map(({ number }) => number)).toEqual([2, 1])
})
