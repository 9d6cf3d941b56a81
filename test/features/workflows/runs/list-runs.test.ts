import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listRuns } from '#features/workflows/runs/list-runs.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

test('newest first, by every filter', async () => {
  const { push, drain, world } = await makeRunsWorld()
  const first = await push()
  await drain()
  await push({ [FILE]: ONE_JOB }, { branch: 'other' })
  const list = async (input: object = {}) =>
    (await world.call(listRuns, anonymous, { ...REPO, ...input })).items.map(({ number }) => number)
  expect(await list()).toEqual([2, 1])
  expect(await list({ branch: 'other' })).toEqual([2])
  expect(await list({ sha: first })).toEqual([1])
  expect(await list({ status: 'completed' })).toEqual([1])
  expect(await list({ conclusion: 'success' })).toEqual([1])
  expect(await list({ conclusion: 'failure' })).toEqual([])
  expect(await list({ event: 'push', actor: 'ada' })).toEqual([2, 1])
  expect(await list({ actor: 'nobody' })).toEqual([])
  expect(await list({ event: 'dispatch' })).toEqual([])
  expect(await list({ pull: 1 })).toEqual([])
  expect(await list({ per_page: 1, page: 2 })).toEqual([1])
})
