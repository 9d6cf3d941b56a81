import { expect, test } from 'bun:test'
import { rerunWorkflowRun } from '#features/workflows/runs/rerun-workflow-run.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

test('runs all jobs of a completed run again, of the same commit', async () => {
  const { push, drain, runs, run, world, ada, bob, eve } = await makeRunsWorld()
  const sha = await push()
  const id = (await runs())[0]?.id ?? ''
  const again = (as = ada, input: object = {}) =>
    world.call(rerunWorkflowRun, as, { ...REPO, id, ...input })
  expect((await refusal(again())).reason).toBe('in_progress')
  await drain()
  expect((await refusal(again(eve))).reason).toBe('role')
  expect((await refusal(again(ada, { failed_only: true }))).field).toBe('failed_only')
  expect(await again(bob)).toMatchObject({
    attempt: 2,
    status: 'queued',
    conclusion: null,
    started_at: null,
    finished_at: null,
    sha,
  })
  await world.jobs()
  expect(await drain('failure')).toEqual(['build'])
  expect((await run(id)).conclusion).toBe('failure')
  world.clock.advance(31 * DAY)
  expect((await refusal(again())).reason).toBe('not_open')
})
