import { expect, test } from 'bun:test'
import { addMember, workspaceFacts } from '#features/workspaces/index.ts'
import { memberAdded } from '#features/workspaces/events.ts'
import { makeWorld, refusal } from '../../world.ts'

test('adding a member appends its event, and adding again or beyond the limit changes nothing', async () => {
  const world = await makeWorld({ workspaces_per_person: 1 })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  const acme = await world.workspace('acme', { owner: ada })
  const other = await world.workspace('other', { owner: await world.user('cy') })
  const add = (workspace_id: string) =>
    world.write((tx) => addMember(tx, { workspace_id, user_id: bob.id, role: 'member' }), ada)
  await add(acme.id)
  const [added, ...more] = world.events('member.added')
  expect(more).toEqual([])
  expect(added).toMatchObject({
    workspace_id: acme.id,
    actor_id: ada.id,
    data: { username: 'bob', role: 'member' },
  })
  expect(memberAdded.summary({ username: 'bob', role: 'member' }, 'ada')).toBe(
    'ada added bob as a member',
  )
  expect((await refusal(add(acme.id))).reason).toBe('already_exists')
  expect((await refusal(add(other.id))).reason).toBe('limit_reached')
  expect(world.events('member.added')).toHaveLength(1)
  expect([
    workspaceFacts(world.hearth.db, acme.slug, bob)?.role,
    workspaceFacts(world.hearth.db, other.slug, bob)?.role,
  ]).toEqual(['member', null])
})
