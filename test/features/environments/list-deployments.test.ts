import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listDeployments } from '#features/environments/list-deployments.ts'
import { cancelRun } from '#features/workflows/runs/cancel-run.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from './fixture.ts'

test('a deployment follows its job, and a newer success takes its place', async () => {
  const { push, take, finish, deployments, world } = await makeEnvironmentsWorld()
  const sha = await push({ [FILE]: DEPLOY })
  const states = async () => (await deployments()).map(({ state }) => state)
  expect(await states()).toEqual(['queued'])
  const first = await take()
  expect(await states()).toEqual(['in_progress'])
  await finish(first, { url: 'https://site.example/' })
  expect((await deployments())[0]).toMatchObject({
    environment: 'production',
    job: first?.id,
    job_name: 'ship',
    run: first?.run.id,
    ref: 'refs/heads/main',
    sha,
    state: 'success',
    waits_for: null,
    creator: { username: 'ada' },
    reviews: [],
    url: 'https://site.example/',
  })
  await push({ 'a.txt': '1' })
  await finish(await take(), { conclusion: 'failure', url: 'javascript:alert(1)' })
  expect((await deployments())[0]?.url).toBeNull()
  expect(await states()).toEqual(['failure', 'success'])
  await push({ 'a.txt': '2' })
  await finish(await take())
  expect(await states()).toEqual(['success', 'failure', 'inactive'])
  expect((await deployments({ sha })).map(({ state }) => state)).toEqual(['inactive'])
  expect((await deployments({ state: 'failure' })).length).toBe(1)
  expect((await deployments({ environment: 'PRODUCTION' })).length).toBe(3)
  expect(await deployments({ environment: 'staging' })).toEqual([])
  const { items } = await world.call(listDeployments, anonymous, { ...REPO, per_page: 1 })
  expect(items.length).toBe(1)
})

test('a deployment that was cancelled before it began is inactive', async () => {
  const { push, protect, deployments, runs, world, ada } = await makeEnvironmentsWorld()
  await protect({ reviewers: ['bob'] })
  await push({ [FILE]: DEPLOY })
  await world.call(cancelRun, ada, { ...REPO, id: (await runs())[0]?.id ?? '' })
  expect((await runs())[0]?.conclusion).toBe('cancelled')
  expect((await deployments())[0]?.state).toBe('inactive')
})
