import { expect, test } from 'bun:test'
import { deleteRun } from '#features/workflows/runs/delete-run.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('only a run that has ended is deleted, with its jobs', async () => {
  const { push, drain, runs, world, ada, bob, hearth } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.id ?? ''
  const remove = (as = ada) => world.call(deleteRun, as, { ...REPO, id })
  expect((await refusal(remove(bob))).reason).toBe('role')
  expect((await refusal(remove())).reason).toBe('in_progress')
  await drain()
  await remove()
  expect(await runs()).toEqual([])
  expect(hearth.db.all('SELECT id FROM workflow_jobs')).toEqual([])
  expect((await refusal(remove())).status).toBe(404)
})
