import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { agentOf, makeWorld, refusal, withToken, workspaceCaller } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const eve = await world.user('eve')
const acme = await world.workspace('acme', { owner: ada, members: [bob] })
await world.workspace('other', { owner: eve })
const open = await world.repo('acme/open')
world.clock.advance(1000)
const secret = await world.repo('acme/secret', { private: true })
world.clock.advance(1000)
await world.repo('other/hidden', { as: eve, private: true })

const names = async (...[caller, input = {}]: [Parameters<typeof world.call>[1], object?]) =>
  (await world.call(listRepos, caller, input)).items.map((repo) => repo.full_name)

test('everyone sees what is public and what their workspaces have, and nothing else', async () => {
  expect(await names(anonymous)).toEqual(['acme/open'])
  expect(await names(bob)).toEqual(['acme/secret', 'acme/open'])
  expect(await names(eve)).toEqual(['other/hidden', 'acme/open'])
  const { total } = await world.call(listRepos, eve, {})
  expect(total).toBe(2)
})

test('tokens see no more than they are limited to', async () => {
  expect(await names(withToken(bob, { repos: [open.id] }))).toEqual(['acme/open'])
  expect(await names(withToken(bob, { workspace: 'wsp_other' }))).toEqual(['acme/open'])
  expect(await names(workspaceCaller(acme))).toEqual(['acme/secret', 'acme/open'])
  expect(await names(agentOf(bob, open, { id: 'agt_a' }))).toEqual(['acme/open'])
  expect(await names(agentOf(bob, secret, { id: 'agt_a' }))).toEqual(['acme/secret', 'acme/open'])
})

test('a member of a workspace that gives no base permission sees no private repository', async () => {
  await world.write((tx) =>
    tx.db.run(`UPDATE workspaces SET base_permission = 'none' WHERE id = ?`, acme.id),
  )
  expect(await names(bob)).toEqual(['acme/open'])
  expect((await refusal(world.call(getRepo, bob, { repo: 'acme/secret' }))).status).toBe(404)
  expect(await names(ada)).toEqual(['acme/secret', 'acme/open'])
  await world.write((tx) =>
    tx.db.run(`UPDATE workspaces SET base_permission = 'write' WHERE id = ?`, acme.id),
  )
})

test('text is found in name and description, and is text', async () => {
  expect(await names(ada, { q: 'SEC' })).toEqual(['acme/secret'])
  expect(await names(ada, { q: '%' })).toEqual([])
  expect(await names(ada, { q: 'o_en' })).toEqual([])
  expect(await names(ada, { workspace: 'acme', sort: 'name' })).toEqual([
    'acme/open',
    'acme/secret',
  ])
  expect(await names(ada, { workspace: 'nowhere' })).toEqual([])
  expect(await names(ada, { archived: true })).toEqual([])
  expect(await world.call(listRepos, ada, { per_page: 1 })).toMatchObject({ next: '2', total: 2 })
})
