import { expect, test } from 'bun:test'
import { listMembers } from '#features/workspaces/list-members.ts'
import { addMember } from '#features/workspaces/index.ts'
import { makeWorld, refusal } from '../../world.ts'

test('members are listed with roles; only owners see who has a second factor', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada })
  await world.write((tx) =>
    addMember(tx, { workspace_id: acme.id, user_id: bob.id, role: 'member', invited_by: ada.id }),
  )
  const names = async (input: object = {}, caller = ada) =>
    (await world.call(listMembers, caller, { workspace: 'acme', ...input })).items.map(
      ({ user }) => user.username,
    )

  const { items } = await world.call(listMembers, ada, { workspace: 'acme' })
  expect(items[0]).toMatchObject({
    user: { id: bob.id, kind: 'user', username: 'bob' },
    role: 'member',
    two_factor_enabled: false,
    teams_count: 0,
    invited_by: { username: 'ada' },
  })
  expect(items[1]).toMatchObject({ user: { username: 'ada' }, role: 'owner', invited_by: null })
  expect(
    (await world.call(listMembers, bob, { workspace: 'acme' })).items.map(
      (item) => item.two_factor_enabled,
    ),
  ).toEqual([null, null])

  expect(await names({ role: 'owner' })).toEqual(['ada'])
  expect(await names({ per_page: 1, page: 2 })).toEqual(['ada'])
  expect(await names({ page: 9 })).toEqual([])
  expect((await refusal(names({}, await world.user('eve')))).code).toBe('not_found')
})
