import { expect, test } from 'bun:test'
import { listTeamMembers } from '#features/teams/list-team-members.ts'
import { refusal } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

test('members are listed by role and in pages; a secret team only to its members and owners', async () => {
  const { world, ada, bob, cy, team, join } = await makeTeamWorld()
  await team('Shadow', { visibility: 'secret' })
  await join('shadow', 'bob')
  await join('shadow', 'dan', 'maintainer')
  const list = (caller: typeof ada, input: object = {}) =>
    world.call(listTeamMembers, caller, { workspace: 'acme', team: 'shadow', ...input })
  const names = async (input: object) =>
    (await list(bob, input)).items.map(({ user }) => user.username)
  expect(await names({})).toEqual(['dan', 'bob', 'ada'])
  expect(await names({ role: 'maintainer' })).toEqual(['dan', 'ada'])
  const first = await list(ada, { per_page: 1 })
  expect([first.items.length, first.next]).toEqual([1, '2'])
  expect((await refusal(list(cy))).code).toBe('not_found')
})
