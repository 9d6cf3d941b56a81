import { expect, test } from 'bun:test'
import { deleteArtifact } from '#features/artifacts/delete-artifact.ts'
import { getActionsUsage } from '#features/artifacts/get-actions-usage.ts'
import { listCaches } from '#features/artifacts/list-caches.ts'
import { sweepJobLogs } from '#features/runners/job-logs.ts'
import { getUsage } from '#features/site/get-usage.ts'
import { setQuota } from '#features/site/set-quota.ts'
import { deleteRun } from '#features/workflows/runs/delete-run.ts'
import { refusal } from '../../world.ts'
import { makeFilesWorld, makeJobsWorld, REPO } from './fixture.ts'

const WORKSPACE = { workspace: 'acme' } as const

test('counts artifacts and caches of a repository and of its workspace', async () => {
  const { world, ada, artifact, cache } = await makeFilesWorld()
  const large = await artifact('large', '12345')
  await artifact('small', '1')
  await cache('npm', '123')
  expect(await world.call(getActionsUsage, ada, REPO)).toMatchObject({
    bytes: 9,
    artifacts: { count: 2, bytes: 6, keep_days: 90 },
    caches: { count: 1, bytes: 3, unused_days: 7, max_bytes: 10 * 1024 ** 3 },
    logs: { count: 0, bytes: 0, keep_days: 90 },
    quota: { used: 9, limit: null },
    largest_artifacts: [{ name: 'large' }, { name: 'small' }],
    repositories: [],
  })
  expect(await world.call(getActionsUsage, ada, WORKSPACE)).toMatchObject({
    bytes: 9,
    largest_artifacts: [],
    repositories: [
      {
        repository: REPO.repo,
        deleted: false,
        artifacts_bytes: 6,
        caches_bytes: 3,
        logs_bytes: 0,
      },
    ],
  })
  expect((await world.call(getUsage, ada, WORKSPACE)).actions_bytes).toEqual({
    used: 9,
    limit: null,
  })
  await world.call(deleteArtifact, ada, { ...REPO, id: large.id })
  expect((await world.call(getActionsUsage, ada, REPO)).artifacts).toMatchObject({
    count: 1,
    bytes: 1,
  })
})

test('is for Write of the repository, and for owners of the workspace', async () => {
  const { world, bob, eve } = await makeFilesWorld()
  expect(await refusal(world.call(getActionsUsage, eve, REPO))).toMatchObject({ reason: 'role' })
  expect((await refusal(world.call(getActionsUsage, eve, WORKSPACE))).code).toBe('not_found')
  expect(await refusal(world.call(getActionsUsage, bob, WORKSPACE))).toMatchObject({
    reason: 'role',
  })
})

test('counts the packed log of a job, until its run is deleted or the log expires', async () => {
  const { world, ada, push } = await makeJobsWorld()
  const file = `on: push
jobs:
  a: { runs-on: ubuntu-latest, steps: [{ run: 'seq 1 20000' }] }
`
  const logs = async () => (await world.call(getActionsUsage, ada, REPO)).logs
  const run = await push(file)
  const one = await logs()
  expect(one.count).toBe(1)
  // Packed, it is smaller than its text of 108,894 bytes and more.
  expect(one.bytes).toBeGreaterThan(1_000)
  expect(one.bytes).toBeLessThan(100_000)
  await push(file, 'main', { more: '1' })
  expect((await logs()).count).toBe(2)
  await world.call(deleteRun, ada, { ...REPO, id: run.id })
  expect((await logs()).count).toBe(1)
  world.clock.advance(1_000 * 86_400_000)
  await sweepJobLogs.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 0, id: '' },
    null,
  )
  expect(await logs()).toMatchObject({ count: 0, bytes: 0 })
})

test('a new file takes the place of the oldest caches, and is refused without any', async () => {
  const { world, ada, artifact, cache } = await makeFilesWorld()
  const root = await world.user('root', { site_admin: true })
  const keys = async () => (await world.call(listCaches, ada, REPO)).items.map(({ key }) => key)
  await world.call(setQuota, root, { ...WORKSPACE, actions_bytes: 10 })
  await cache('old', '1234')
  world.clock.advance(60_000)
  await cache('new', '4321')
  world.clock.advance(60_000)
  await artifact('fits', '12')
  expect(await keys()).toEqual(['new', 'old'])
  await artifact('needs-one', '12')
  expect(await keys()).toEqual(['new'])
  expect(await refusal(artifact('too-large', '1234567'))).toMatchObject({
    code: 'forbidden',
    reason: 'quota',
    message:
      'acme may have 10 bytes of artifacts, caches and logs of workflows and has 8 bytes; 7 bytes more would not fit. Remove some, or ask an administrator of the site for more',
    details: { quota: 'actions_bytes', limit: 10, used: 8, wanted: 7 },
  })
  // What was refused has evicted nothing.
  expect(await keys()).toEqual(['new'])
  world.clock.advance(60_000)
  await cache('newest', '12345')
  expect(await keys()).toEqual(['newest'])
  expect(await refusal(cache('larger', '1234567'))).toMatchObject({ reason: 'quota' })
  expect(await keys()).toEqual(['newest'])
  expect((await world.call(getActionsUsage, ada, REPO)).quota).toEqual({ used: 9, limit: 10 })
})

test('caches of a repository have at most what the setting says', async () => {
  const { world, ada, hearth, cache } = await makeFilesWorld()
  Object.assign(hearth.settings.jobs, { cache_bytes: 6 })
  try {
    await cache('old', '1234')
    world.clock.advance(60_000)
    await cache('new', '4321')
    const { items } = await world.call(listCaches, ada, REPO)
    expect(items.map(({ key }) => key)).toEqual(['new'])
    expect((await refusal(cache('large', '1234567'))).code).toBe('too_large')
  } finally {
    Object.assign(hearth.settings.jobs, { cache_bytes: 10 * 1024 ** 3 })
  }
})
