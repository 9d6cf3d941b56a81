import { expect, test } from 'bun:test'
import { cancelImport } from '#features/imports/cancel-import.ts'
import { createImports } from '#features/imports/create-imports.ts'
import { listImports } from '#features/imports/list-imports.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal } from '../../world.ts'
import { makeForgeWorld } from './forge-fixture.ts'

const it = await makeForgeWorld()
const { world, ada, bob, eve } = it

test('several are begun at once, what is refused for one stops no other, and all come', async () => {
  const peer = it.standIn('gitea_api')
  await world.repo('acme/taken', { as: ada })
  const { items } = await world.call(createImports, ada, {
    source: 'gitea_api',
    workspace: 'acme',
    private: true,
    repos: [
      { url: peer.url, name: 'one' },
      { url: peer.url, name: 'taken' },
      { url: peer.url, name: 'two', private: false },
      { url: peer.url, name: 'one' },
      { url: 'ftp://127.0.0.1/x/y', name: 'three' },
    ],
  })
  expect(items.map(({ import: begun, error }) => [begun?.repo ?? null, error !== null])).toEqual([
    ['acme/one', false],
    [null, true],
    ['acme/two', false],
    [null, true],
    [null, true],
  ])
  expect(items[1]?.error).toContain('acme/taken exists already')
  await world.jobs()
  const mine = await world.call(listImports, ada, {})
  expect(mine.items.map(({ repo, state }) => [repo, state])).toEqual([
    ['acme/two', 'done'],
    ['acme/one', 'done'],
  ])
  expect(await world.call(getRepo, ada, { repo: 'acme/one' })).toMatchObject({ private: true })
  expect(await world.call(getRepo, ada, { repo: 'acme/two' })).toMatchObject({ private: false })
  await peer.close()
})

test('an import is listed for who started it, and for owners in their workspace', async () => {
  const peer = it.standIn('gitea_api')
  await world.call(createImports, bob, {
    source: 'gitea_api',
    workspace: 'acme',
    repos: [{ url: peer.url, name: 'of-bob' }],
  })
  const names = async (as: typeof ada, workspace?: string) =>
    (
      await world.call(listImports, as, { ...(workspace === undefined ? {} : { workspace }) })
    ).items.map(({ repo }) => repo)
  expect(await names(bob)).toEqual(['acme/of-bob'])
  expect(await names(bob, 'acme')).toEqual(['acme/of-bob'])
  expect(await names(ada)).not.toContain('acme/of-bob')
  expect(await names(ada, 'acme')).toContain('acme/of-bob')
  expect(await names(eve)).toEqual([])
  expect(await names(eve, 'acme')).toEqual([])
  const [first] = (await world.call(listImports, bob, { per_page: 1 })).items
  expect((await world.call(listImports, bob, { before: first?.id ?? '' })).items).toEqual([])
  await world.call(cancelImport, bob, { id: first?.id ?? '' })
  await peer.close()
})

test('a workspace of others, none and too many are refused as a whole', async () => {
  const repos = [{ url: 'http://127.0.0.1/a/b' }]
  const input = { source: 'gitea_api', workspace: 'acme' } as const
  expect(await refusal(world.call(createImports, eve, { ...input, repos }))).toMatchObject({
    status: 404,
  })
  for (const wrong of [[], Array.from({ length: 101 }, () => ({ url: 'http://127.0.0.1/a/b' }))])
    expect(await refusal(world.call(createImports, ada, { ...input, repos: wrong }))).toMatchObject(
      { status: 422, field: 'repos' },
    )
})
