import { expect, test } from 'bun:test'
import { rerunFailedJobs } from '#features/workflows/runs/rerun-failed-jobs.ts'
import { FILE, makeRunsWorld, REPO } from '../fixture.ts'

const TWO = `name: Two
on: push
jobs:
  good: { runs-on: ubuntu-latest, steps: [{ run: a }] }
  bad: { runs-on: ubuntu-latest, steps: [{ run: b }] }
  after: { needs: [good, bad], runs-on: ubuntu-latest, steps: [{ run: c }] }
`

test('runs only what failed and what needs it; the rest keeps its result', async () => {
  const { push, take, finish, drain, runs, jobs, world, ada } = await makeRunsWorld()
  await push({ [FILE]: TWO })
  await finish(await take(), { outputs: { word: 'kept' } })
  await finish(await take(), { conclusion: 'failure' })
  const id = (await runs())[0]?.id ?? ''
  expect((await jobs(id)).map(({ conclusion }) => conclusion)).toEqual([
    'success',
    'failure',
    'skipped',
  ])
  expect((await world.call(rerunFailedJobs, ada, { ...REPO, id })).attempt).toBe(2)
  await world.jobs()
  expect(await drain()).toEqual(['bad', 'after'])
  expect((await runs())[0]).toMatchObject({ attempt: 2, conclusion: 'success', jobs_count: 3 })
  expect((await jobs(id)).map(({ name, attempt }) => [name, attempt])).toEqual([
    ['good', 2],
    ['bad', 2],
    ['after', 2],
  ])
})
