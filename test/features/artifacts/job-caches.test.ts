import { expect, test } from 'bun:test'
import { insertJob } from '#core/jobs.ts'
import { deleteCache } from '#features/artifacts/delete-cache.ts'
import { listCaches } from '#features/artifacts/list-caches.ts'
import { evictCaches } from '#features/artifacts/store-caches.ts'
import { sweepArtifacts } from '#features/artifacts/sweep.ts'
import { findCacheForJob, saveCache } from '#features/artifacts/job-caches.ts'
import { DAY } from '#lib/time.ts'
import { makeRunsWorld } from '../workflows/fixture.ts'
import { makeJobsWorld, REPO } from './fixture.ts'

const FILE = `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - id: c
        uses: actions/cache@v4
        with: { key: 'deps-KEY', restore-keys: 'deps-', path: "deps\\n~/.tool\\n" }
      - run: echo "hit [\${{ steps.c.outputs.cache-hit }}] $(cat deps/made ~/.tool/x 2>/dev/null | tr '\\n' ' ')"
      - run: mkdir -p deps ~/.tool; echo KEY >>deps/made; echo tool >~/.tool/x
`
const fileOf = (key: string): string => FILE.replaceAll('KEY', key)

test('a cache is restored by its key or the beginning of it, and saved when the job succeeds', async () => {
  const { world, ada, push, logs } = await makeJobsWorld()
  const keys = async () =>
    (await world.call(listCaches, ada, REPO)).items
      .map(({ key, ref }) => `${ref} ${key}`)
      .toSorted()
  const first = await push(fileOf('a'))
  expect(await logs(first.id)).toContain('hit [] ')
  expect(await keys()).toEqual(['refs/heads/main deps-a'])
  const same = await push(fileOf('a'), 'main', { more: '1' })
  expect(await logs(same.id)).toContain('hit [true] a tool')
  const near = await push(fileOf('b'))
  expect(await logs(near.id)).toContain('hit [false] a tool')
  expect(await keys()).toEqual(['refs/heads/main deps-a', 'refs/heads/main deps-b'])

  // A branch reads those of the default branch. What it writes, the default branch does not see.
  const branch = await push(fileOf('c'), 'topic')
  expect(await logs(branch.id)).toContain('hit [false] a b tool')
  expect(await keys()).toContain('refs/heads/topic deps-c')
  const main = await push(fileOf('c'), 'main', { more: '2' })
  expect(await logs(main.id)).toContain('hit [false] a b tool')

  const failing = await push(`${fileOf('d')}      - run: exit 1\n`)
  expect(failing.conclusion).toBe('failure')
  expect((await keys()).join()).not.toContain('deps-d')
})

test('caches that nobody uses go after a week, and the oldest go when they are too large', async () => {
  const { world, ada, eve, push } = await makeJobsWorld()
  const list = async () => (await world.call(listCaches, ada, REPO)).items
  await push(fileOf('a'))
  world.clock.advance(DAY)
  await push(fileOf('b'))
  const [newest, oldest] = await list()
  expect([newest?.key, oldest?.key]).toEqual(['deps-b', 'deps-a'])
  await world.write((tx) => evictCaches(tx, repoId(), newest?.size_in_bytes ?? 0))
  expect((await list()).map(({ key }) => key)).toEqual(['deps-b'])
  await expect(world.call(listCaches, eve, REPO)).resolves.toBeDefined()
  await expect(world.call(deleteCache, eve, { ...REPO, id: newest?.id ?? '' })).rejects.toThrow()
  world.clock.advance(8 * DAY)
  await world.write((tx) => void insertJob(tx.db, sweepArtifacts, null, tx.now_ms))
  await world.jobs()
  expect(await list()).toEqual([])

  function repoId(): string {
    const row = world.hearth.db.one<{ repo_id: string }>('SELECT repo_id FROM caches LIMIT 1')
    return row?.repo_id ?? ''
  }
})

test('a run of somebody without Write reads caches and writes none, nor does a run for a pull from outside', async () => {
  const { hearth, push, take, world } = await makeRunsWorld()
  await push()
  const job = await take()
  if (!job) throw new Error('there is no job')
  const bytes = async function* () {
    yield Buffer.from('packed')
  }
  const save = (key: string) => saveCache(hearth, job.id, { key, version: 'v', bytes: bytes() })
  const find = (key: string) =>
    findCacheForJob(hearth, job.id, { key, restoreKeys: [], version: 'v' })
  expect((await save('a'))?.ref).toBe('refs/heads/main')
  expect(await save('a')).toBeNull()
  for (const change of [
    "trusted = 0, event_name = 'push'",
    "trusted = 1, event_name = 'pull_request_target'",
  ]) {
    await world.write((tx) => void tx.db.run(`UPDATE workflow_runs SET ${change}`))
    await expect(save('b')).rejects.toThrow('reads caches only')
    expect((await find('a'))?.key).toBe('a')
    expect(await find('b')).toBeNull()
  }
  await world.write((tx) => void tx.db.run("UPDATE workflow_runs SET ref = 'refs/pull/1/merge'"))
  expect((await find('a'))?.key).toBe('a')
  await world.write((tx) => void tx.db.run("UPDATE caches SET ref = 'refs/heads/other'"))
  expect(await find('a')).toBeNull()
})
