import { expect, test } from 'bun:test'
import { cancelRun } from '#features/workflows/runs/cancel-run.ts'
import { SECOND } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('jobs that wait end at once, and so does the run', async () => {
  const { push, runs, jobs, take, world, ada, eve } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.id ?? ''
  const cancel = (as = ada) => world.call(cancelRun, as, { ...REPO, id })
  expect((await refusal(cancel(eve))).reason).toBe('role')
  expect(await cancel()).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  expect((await jobs(id))[0]).toMatchObject({
    conclusion: 'cancelled',
    reason: 'Cancelled by ada',
  })
  expect(await take()).toBeNull()
  expect((await refusal(cancel())).reason).toBe('not_open')
})

test('a running job is told, and after ten seconds it counts as ended whatever it does', async () => {
  const { push, runs, run, jobs, take, finish, world, ada } = await makeRunsWorld()
  await push()
  const id = (await runs())[0]?.id ?? ''
  const job = await take()
  expect((await world.call(cancelRun, ada, { ...REPO, id })).status).toBe('in_progress')
  expect([job?.stop.aborted, job?.stop.reason]).toEqual([true, 'cancelled'])
  world.clock.advance(9 * SECOND)
  await world.jobs()
  expect((await run(id)).status).toBe('in_progress')
  world.clock.advance(SECOND)
  await world.jobs()
  expect(await run(id)).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  // A late report changes nothing.
  await finish(job, { conclusion: 'success' })
  expect((await jobs(id))[0]?.conclusion).toBe('cancelled')
  expect(world.events('workflow.completed')).toHaveLength(1)
})
