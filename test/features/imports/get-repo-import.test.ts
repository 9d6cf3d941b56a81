import { expect, test } from 'bun:test'
import { getRepoImport } from '#features/imports/get-repo-import.ts'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeImportWorld } from './fixture.ts'

const it = await makeImportWorld()
const { world, ada, eve } = it

test('import_url makes the repository at once and copies afterwards; nobody pushes meanwhile', async () => {
  const gate = Promise.withResolvers<void>()
  const repo = await world.call(createRepo, ada, {
    workspace: 'acme',
    name: 'copy',
    private: false,
    import_url: `${it.backend({ gate: gate.promise }).url}/source.git`,
  })
  expect(repo).toMatchObject({ state: 'importing', empty: true, import_error: null })
  expect(world.events('repo.created').at(-1)?.data).toEqual({ private: false, imported: true })
  const commit = {
    repo: 'acme/copy',
    branch: 'main',
    message: 'mine',
    files: [{ action: 'put' as const, path: 'mine.txt', content: 'mine' }],
  }
  expect(await refusal(world.call(createCommit, ada, commit))).toMatchObject({
    status: 409,
    reason: 'in_progress',
  })
  expect(await world.call(getRepoImport, ada, { repo: 'acme/copy' })).toMatchObject({
    finished_at: null,
    steps: [{ name: 'code', done: 0 }],
  })
  expect(await world.call(getRepoImport, eve, { repo: 'acme/copy' })).toBeNull()
  gate.resolve()
  await world.jobs()
  expect(it.refs('acme/copy')).toEqual(await it.wanted())
  expect(await world.call(getRepo, eve, { repo: 'acme/copy' })).toMatchObject({
    state: 'active',
    default_branch: 'main',
  })
  expect(await world.call(getRepoImport, ada, { repo: 'acme/copy' })).toMatchObject({
    state: 'done',
  })
})

test('a failed copy leaves an empty repository that tells why, for seven days, to those with a role', async () => {
  await world.call(createRepo, ada, {
    workspace: 'acme',
    name: 'failed',
    private: false,
    import_url: `${it.backend().url}/nothing-here`,
  })
  await world.jobs()
  expect(await world.call(getRepo, ada, { repo: 'acme/failed' })).toMatchObject({
    state: 'active',
    empty: true,
    import_error: 'the remote has nothing at this address (status 404)',
  })
  expect(await world.call(getRepo, eve, { repo: 'acme/failed' })).toMatchObject({
    state: 'active',
    import_error: null,
  })
  world.clock.advance(7 * DAY)
  expect(await world.call(getRepo, ada, { repo: 'acme/failed' })).toMatchObject({
    import_error: null,
  })
})

test('an address that may not be asked makes nothing', async () => {
  const error = await refusal(
    world.call(createRepo, ada, {
      workspace: 'acme',
      name: 'inside',
      import_url: 'https://10.1.2.3/x.git',
    }),
  )
  expect(error).toMatchObject({ status: 422, field: 'import_url' })
  expect(error.message).toContain('outbound.allow')
  expect(await refusal(world.call(getRepo, ada, { repo: 'acme/inside' }))).toMatchObject({
    status: 404,
  })
})
