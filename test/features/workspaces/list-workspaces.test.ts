import { expect, test } from 'bun:test'
import { listWorkspaces } from '#features/workspaces/list-workspaces.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'

test('the workspaces of the caller, newest first, as far as the token reaches', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada, members: [bob] })
  await world.workspace('beta', { owner: ada })
  const slugs = async (caller: Parameters<typeof world.call>[1]) =>
    (await world.call(listWorkspaces, caller, {})).items.map(({ slug, role }) => `${slug} ${role}`)
  expect(await slugs(ada)).toEqual(['beta owner', 'acme owner'])
  expect(await slugs(bob)).toEqual(['acme member'])
  expect(await slugs(await world.user('eve'))).toEqual([])
  expect(await slugs(workspaceCaller(acme, { scopes: null }))).toEqual(['acme member'])
  expect(await slugs(withToken(ada, { workspace: acme.id }))).toEqual(['acme owner'])

  const page = await world.call(listWorkspaces, ada, { per_page: 1 })
  expect([page.items.map(({ slug }) => slug), page.next]).toEqual([['beta'], '2'])
  expect(
    (await world.call(listWorkspaces, ada, { per_page: 1, page: 2 })).items.map(({ slug }) => slug),
  ).toEqual(['acme'])
  expect(
    (await refusal(world.call(listWorkspaces, withToken(ada, { scopes: ['code:read'] }), {})))
      .reason,
  ).toBe('scope')
})
