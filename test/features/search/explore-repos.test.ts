import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { exploreRepos } from '#features/search/explore-repos.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { agentOf, makeWorld } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
const site = await world.repo('acme/site', { as: ada })
await world.repo('acme/tool', { as: ada })
await world.repo('acme/vault', { as: ada, private: true })
await world.commit('acme/site', 'main', { 'a.ts': 'export const a = 1\n' })
await world.commit('acme/tool', 'main', { 'a.go': 'package a\n' })
await world.commit('acme/vault', 'main', { 'a.rs': 'fn a() {}\n' })
await world.call(updateRepo, ada, { repo: 'acme/site', topics: ['web', 'small'] })
await world.call(updateRepo, ada, { repo: 'acme/vault', topics: ['treasure'] })
await world.jobs()

const names = async (
  input: Parameters<typeof world.call<object, unknown>>[2],
  caller = anonymous as typeof ada | typeof anonymous,
) => (await world.call(exploreRepos, caller, input)).items.map(({ name }) => name).sort()

test('repositories are listed by language, topic and words', async () => {
  expect(await names({})).toEqual(['site', 'tool'])
  expect(await names({ language: 'go' })).toEqual(['tool'])
  expect(await names({ topic: 'web' })).toEqual(['site'])
  expect(await names({ q: 'too' })).toEqual(['tool'])
  expect(await names({ q: 'small' })).toEqual(['site'])
  expect(await names({ language: 'Rust' })).toEqual([])
  expect(await world.call(exploreRepos, anonymous, { sort: 'name', per_page: 1 })).toMatchObject({
    items: [{ name: 'site' }],
    total: 2,
    next: '2',
  })
})

test('choices tell nothing of what is private', async () => {
  const seen = await world.call(exploreRepos, anonymous, {})
  expect(seen.languages).toEqual([
    { name: 'Go', count: 1 },
    { name: 'TypeScript', count: 1 },
  ])
  expect(seen.topics.map(({ name }) => name).sort()).toEqual(['small', 'web'])
  const own = await world.call(exploreRepos, ada, {})
  expect(own.topics.map(({ name }) => name)).toContain('treasure')
  expect(own.items).toHaveLength(3)
  expect(
    await names({}, agentOf(ada, site, { id: 'agt_01h455vb4pex5vsknk084sn02q' }) as never),
  ).toEqual(['site'])
})
