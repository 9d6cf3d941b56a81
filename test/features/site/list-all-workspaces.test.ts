import { expect, test } from 'bun:test'
import { listAllWorkspaces } from '#features/site/list-all-workspaces.ts'
import { makeWorld, refusal } from '../../world.ts'

test('administrators find workspaces by slug or name, newest first, with their usage', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.workspace('bakery', { owner: ada })
  await world.repo('acme/site', { as: ada })
  const all = await world.call(listAllWorkspaces, root, {})
  expect([all.items.map(({ slug }) => slug), all.total]).toEqual([['bakery', 'acme'], 2])
  const { items, total } = await world.call(listAllWorkspaces, root, { q: ' AC ' })
  expect(total).toBe(1)
  expect(items).toMatchObject([{ slug: 'acme', usage: { repositories: { used: 1, limit: null } } }])
  expect((await world.call(listAllWorkspaces, root, { per_page: 1 })).next).toBe('2')
  expect(await refusal(world.call(listAllWorkspaces, ada, {}))).toMatchObject({ reason: 'role' })
})
