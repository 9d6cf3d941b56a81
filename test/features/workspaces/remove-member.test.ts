import { expect, test } from 'bun:test'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../world.ts'

async function seeded() {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const cy = await world.user('cy')
  const acme = await world.workspace('acme', { owner: ada, members: [bob, cy] })
  const remove = (username: string, caller = ada) =>
    world.call(removeMember, caller, { workspace: 'acme', username })
  return { world, ada, bob, cy, acme, remove }
}

test('a removed member can no longer see the workspace', async () => {
  const { world, ada, bob, acme, remove } = await seeded()
  await world.call(getWorkspace, bob, { workspace: 'acme' })
  expect(await remove('bob')).toBeNull()
  expect((await refusal(world.call(getWorkspace, bob, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
  expect((await world.call(getWorkspace, ada, { workspace: 'acme' })).member_count).toBe(2)
  expect(world.events('member.removed')).toMatchObject([
    {
      workspace_id: acme.id,
      repo_id: null,
      actor_id: ada.id,
      data: { username: 'bob', role: 'member' },
    },
  ])
  expect((await refusal(remove('bob'))).code).toBe('not_found')
})

test('a member leaves, and removes nobody else', async () => {
  const { world, bob, remove } = await seeded()
  expect((await refusal(remove('cy', bob))).reason).toBe('role')
  expect((await refusal(remove('nobody', bob))).reason).toBe('role')
  expect(world.events('member.removed')).toEqual([])
  expect(await remove('Bob', bob)).toBeNull()
  expect(world.events('member.removed')).toHaveLength(1)
})

test('the last owner stays', async () => {
  const { world, ada, remove } = await seeded()
  const error = await refusal(remove('ada'))
  expect([error.code, error.reason]).toEqual(['conflict', 'last_owner'])
  expect(world.events('member.removed')).toEqual([])
  expect((await world.call(getWorkspace, ada, { workspace: 'acme' })).role).toBe('owner')
})

test('it takes a person and the scope', async () => {
  const { world, ada, acme, remove } = await seeded()
  expect(
    (await refusal(remove('bob', withToken(ada, { scopes: ['workspace:admin'] })))).details,
  ).toEqual({ scope: 'access:admin' })
  expect(
    (
      await refusal(
        world.call(removeMember, workspaceCaller(acme), { workspace: 'acme', username: 'bob' }),
      )
    ).reason,
  ).toBe('person_required')
})
