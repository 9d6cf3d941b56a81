import { expect, test } from 'bun:test'
import { rerunJob } from '#features/workflows/runs/rerun-job.ts'
import { refusal } from '../../../world.ts'
import { FILE, makeRunsWorld, REPO } from '../fixture.ts'

const TWO = `name: Two
on: push
jobs:
  quick: { runs-on: ubuntu-latest, steps: [{ run: a }] }
  slow: { runs-on: ubuntu-latest, steps: [{ run: b }] }
`

test('one job runs again while the other goes on', async () => {
  const { push, take, finish, runs, jobs, world, ada, run } = await makeRunsWorld()
  await push({ [FILE]: TWO })
  const quick = await take()
  const slow = await take()
  await finish(quick, { conclusion: 'failure' })
  const again = (id = '') => world.call(rerunJob, ada, { ...REPO, id })
  expect((await refusal(again(slow?.id))).reason).toBe('in_progress')
  expect(await again(quick?.id)).toMatchObject({ name: 'quick', conclusion: null })
  await world.jobs()
  const second = await take()
  expect(second?.name).toBe('quick')
  await finish(second)
  const id = (await runs())[0]?.id ?? ''
  expect((await run(id)).status).toBe('in_progress')
  await finish(slow)
  expect(await run(id)).toMatchObject({ attempt: 1, conclusion: 'success' })
  expect(await jobs(id)).toHaveLength(2)
})

test('of a completed run it makes the next attempt', async () => {
  const { push, drain, runs, jobs, world, ada } = await makeRunsWorld()
  await push({ [FILE]: TWO })
  await drain()
  const id = (await runs())[0]?.id ?? ''
  const job = (await jobs(id)).find(({ name }) => name === 'slow')
  const again = await world.call(rerunJob, ada, { ...REPO, id: job?.id ?? '' })
  expect([again.attempt, again.id === job?.id]).toEqual([2, false])
  await world.jobs()
  expect(await drain()).toEqual(['slow'])
})
