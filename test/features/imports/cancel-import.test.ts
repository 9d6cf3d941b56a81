import { expect, test } from 'bun:test'
import { QUEUE_CONCURRENCY } from '#core/jobs.ts'
import { cancelImport } from '#features/imports/cancel-import.ts'
import { createImport } from '#features/imports/create-import.ts'
import { getImport } from '#features/imports/get-import.ts'
import { deleteRepo } from '#features/repos/lifecycle/delete-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal } from '../../world.ts'
import { makeImportWorld, startSilent } from './fixture.ts'

const it = await makeImportWorld()
const { world, ada, bob, eve } = it
const start = (url: string, name: string) =>
  world.call(createImport, bob, { source: 'git', workspace: 'acme', url, name })

test('one that waits never begins', async () => {
  // As many as run at once, so that the next one waits.
  const silent = startSilent()
  const others = await Promise.all(
    Array.from({ length: QUEUE_CONCURRENCY.imports }, (_, i) =>
      start(`${silent.url}/x`, `busy-${i}`),
    ),
  )
  const jobs = world.jobs()
  await silent.asked
  const server = it.backend()
  const { id } = await start(`${server.url}/source.git`, 'waits')
  expect(await refusal(world.call(cancelImport, eve, { id }))).toMatchObject({ status: 404 })
  expect(await world.call(cancelImport, ada, { id })).toMatchObject({
    state: 'cancelled',
    steps: [{ state: 'cancelled' }],
  })
  expect(await world.call(cancelImport, bob, { id })).toMatchObject({ state: 'cancelled' })
  for (const other of others) await world.call(cancelImport, bob, { id: other.id })
  await jobs
  await world.jobs()
  await silent.close()
  expect(server.asked).toEqual([])
  expect(await world.call(getRepo, ada, { repo: 'acme/waits' })).toMatchObject({
    state: 'active',
    empty: true,
    import_error: null,
  })
  expect(
    world.hearth.db.all('SELECT action FROM audit_log WHERE action = ?', 'import.cancelled').length,
  ).toBe(1 + others.length)
})

test('one that runs ends at once, its requests with it', async () => {
  const server = startSilent()
  const { id } = await start(`${server.url}/x`, 'runs')
  const jobs = world.jobs()
  await server.asked
  expect(await world.call(getImport, bob, { id })).toMatchObject({
    state: 'running',
    progress: { phase: 'connecting' },
  })
  await world.call(cancelImport, bob, { id })
  await jobs
  await Promise.all(server.gone)
  expect(await world.call(getImport, bob, { id })).toMatchObject({ state: 'cancelled', errors: [] })
  await server.close()
})

test('one that is over stays as it is', async () => {
  const { id } = await start(`${it.backend().url}/source.git`, 'over')
  await world.jobs()
  expect(await refusal(world.call(cancelImport, bob, { id }))).toMatchObject({
    status: 409,
    reason: 'already_closed',
  })
  expect(it.refs('acme/over').size).toBe((await it.wanted()).size)
})

test('it ends with its repository', async () => {
  const server = startSilent()
  const { id } = await start(`${server.url}/x`, 'doomed')
  const jobs = world.jobs()
  await server.asked
  await world.call(deleteRepo, ada, { repo: 'acme/doomed', confirm: 'acme/doomed' })
  await jobs
  expect(await world.call(getImport, ada, { id })).toMatchObject({ state: 'cancelled', repo: null })
  await server.close()
})
