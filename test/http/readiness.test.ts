import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { replication } from '#core/replication.ts'
import { createGit } from '#git'
import { makeListening } from './listening-world.ts'

const { world, get } = await makeListening()

test('a forge whose parts all answer is ready, wherever it is asked', async () => {
  for (const path of ['/readyz', '/api/readyz']) {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      status: 'ok',
      checks: { process: 'ok', database: 'ok', data_directory: 'ok', git: 'ok' },
      longest_turn_ms: expect.any(Number),
    })
  }
  // The trial leaves nothing behind, and the database is marked as one of ours.
  expect(
    world.hearth.db.one<{ application_id: number }>('PRAGMA application_id')?.application_id,
  ).toBe(0x48727468)
})

test('asking often costs one trial', async () => {
  const before = world.hearth.writer.state()
  await Promise.all(Array.from({ length: 20 }, () => get('/readyz')))
  expect(world.hearth.writer.state()).toBe(before)
})

test('a part that does not answer is named, and the process still lives', async () => {
  const other = await makeListening()
  renameSync(join(other.world.data, 'tmp'), join(other.world.data, 'tmp-away'))
  const response = await other.get('/readyz')
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await response.json()).toMatchObject({
    status: 'unavailable',
    checks: { database: 'ok', data_directory: 'cannot be written' },
  })
  expect((await other.get('/livez')).status).toBe(200)
  renameSync(join(other.world.data, 'tmp-away'), join(other.world.data, 'tmp'))
})

test('a machine that only refuses changes is ready to be read, and says that it takes none', async () => {
  const { world: other, get: ask } = await makeListening()
  const { readStatus } = replication(other.hearth)
  replication(other.hearth).readStatus = () => ({
    ...readStatus(),
    role: 'primary',
    refusal: 'the standby is away',
  })
  const answers = await Promise.all(['/readyz', '/readyz?changes'].map((path) => ask(path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 503])
  for (const answer of answers)
    expect(await answer.json()).toMatchObject({ checks: { standby: 'changes are refused' } })
})

test('a machine from which another one has taken over is not ready', async () => {
  const { world: other, get: ask } = await makeListening()
  const { readStatus } = replication(other.hearth)
  replication(other.hearth).readStatus = () => ({
    ...readStatus(),
    role: 'fenced',
    refusal: 'another machine serves',
  })
  const answer = await ask('/readyz')
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({
    checks: { standby: 'another machine has taken over', database: 'ok' },
  })
})

test('an engine whose threads have ended is noticed', async () => {
  const git = createGit({
    root: join(world.data, 'elsewhere'),
    tmp: join(world.data, 'elsewhere-tmp'),
    workers: 0,
    concurrency: 1,
  })
  await git.close()
  const { createReadinessCheck } = await import('#http/readiness.ts')
  expect(await createReadinessCheck({ ...world.hearth, git }, 500)()).toMatchObject({
    git: 'does not answer',
  })
})
