import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getLockFiles } from '#features/security/dependencies/get-lock-files.ts'
import { listDependencies } from '#features/security/dependencies/list-dependencies.ts'
import { LOCK, makeDependencyWorld, packageLock, REPO } from './fixture.ts'

const repo = REPO

test('dependencies of the default branch are listed, direct ones first', async () => {
  const { world, ada, commit } = await makeDependencyWorld()
  expect(await world.call(listDependencies, ada, { repo })).toEqual({
    items: [],
    next: null,
    total: 0,
  })
  await commit({
    'package-lock.json': LOCK,
    'tools/requirements.txt': 'flask==2.0.1\n',
    'node_modules/x/package-lock.json': packageLock({ vendored: '1.0.0' }),
  })
  const { items, total } = await world.call(listDependencies, anonymous, { repo })
  expect(items).toEqual([
    {
      type: 'pypi',
      name: 'flask',
      version: '2.0.1',
      scope: 'runtime',
      manifest: 'tools/requirements.txt',
      direct: true,
      license: null,
    },
    expect.objectContaining({ name: 'left', version: '1.2.0', direct: true, license: 'MIT' }),
    expect.objectContaining({ name: 'tester', scope: 'development', direct: true }),
    expect.objectContaining({ name: 'deep', scope: 'runtime', direct: false }),
  ])
  expect(total).toBe(4)
  const names = async (filter: object) =>
    (await world.call(listDependencies, ada, { repo, ...filter })).items.map(({ name }) => name)
  expect(await names({ query: 'LE' })).toEqual(['left'])
  expect(await names({ type: 'pypi' })).toEqual(['flask'])
  expect(await names({ direct: false })).toEqual(['deep'])
  expect(await names({ per_page: 1, page: 4 })).toEqual(['deep'])
})

test('other commits have lists of their own, and a private repository tells strangers nothing', async () => {
  const { world, ada, otto, commit, push, ref } = await makeDependencyWorld()
  await commit({ 'package-lock.json': packageLock({ a: '1.0.0' }) })
  await push(REPO, 'next', ref('main'))
  await world.commit(REPO, 'next', { 'package-lock.json': packageLock({ a: '2.0.0' }) })
  const versions = async (ref?: string) =>
    (
      await world.call(listDependencies, ada, { repo, ...(ref === undefined ? {} : { ref }) })
    ).items.map(({ version }) => version)
  expect([await versions(), await versions('next')]).toEqual([['1.0.0'], ['2.0.0']])
  await expect(versions('gone')).rejects.toMatchObject({ code: 'not_found', field: 'ref' })
  await world.repo('acme/secret', { private: true })
  await world.commit('acme/secret', 'main', { 'package-lock.json': packageLock({ a: '1.0.0' }) })
  await expect(world.call(listDependencies, otto, { repo: 'acme/secret' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a lock file that cannot be read is named, and the others are listed', async () => {
  const { world, ada, commit } = await makeDependencyWorld()
  await commit({
    'package-lock.json': '{',
    'a/pnpm-lock.yaml': `a: ${'['.repeat(50_000)}`,
    'b/package-lock.json': packageLock({ b: '1.0.0' }),
  })
  expect((await world.call(listDependencies, ada, { repo })).items).toMatchObject([{ name: 'b' }])
  expect((await world.call(getLockFiles, ada, { repo })).files).toEqual([
    { path: 'package-lock.json', packages: 0, fault: 'The file is no JSON.' },
    { path: 'a/pnpm-lock.yaml', packages: 0, fault: expect.stringContaining('The file is') },
    { path: 'b/package-lock.json', packages: 1, fault: null },
  ])
})
