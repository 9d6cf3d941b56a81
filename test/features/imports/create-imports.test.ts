import { expect, test } from 'bun:test'
import { createImports } from '#features/imports/create-imports.ts'
import { listImports } from '#features/imports/list-imports.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal } from '../../world.ts'
import { makeForgeWorld } from './forge-fixture.ts'

const it = await makeForgeWorld()
const { world, ada, eve } = it

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
