import { describe, expect, test } from 'bun:test'
import { listTeamMembers } from '#features/teams/list-team-members.ts'
import { removeTeamMember } from '#features/teams/remove-team-member.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { refusal } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

describe('people', () => {
  test('owners and maintainers put members in, change them and take them out', async () => {
    const { world, ada, bob, cy, dan, team, join, audits } = await makeTeamWorld()
    await team('Core', {}, bob)
    expect(await join('core', 'Cy', 'member', bob)).toMatchObject({
      user: { username: 'cy' },
      role: 'member',
      state: 'active',
      added_by: { username: 'bob' },
    })
    expect((await refusal(join('core', 'dan', 'member', cy))).reason).toBe('role')
    expect((await join('core', 'cy', 'maintainer')).added_by?.username).toBe('bob')
    // Omitted fields keep their value.
    expect(
      (await world.call(setTeamMember, ada, { workspace: 'acme', team: 'core', username: 'cy' }))
        .role,
    ).toBe('maintainer')
    await join('core', 'dan', 'member', cy)
    const list = (role?: 'member' | 'maintainer') =>
      world.call(listTeamMembers, dan, { workspace: 'acme', team: 'core', role })
    expect((await list()).items.map(({ user }) => user.username)).toEqual(['dan', 'cy', 'bob'])
    expect((await list('maintainer')).items).toHaveLength(2)
    const out = (username: string, who = ada) =>
      world.call(removeTeamMember, who, { workspace: 'acme', team: 'core', username })
    expect((await refusal(out('bob', dan))).reason).toBe('role')
    expect(await out('dan', dan)).toBeNull()
    expect((await refusal(out('dan'))).code).toBe('not_found')
    expect(await out('cy', bob)).toBeNull()
    expect(audits('team.member_added').map(({ target_name }) => target_name)).toEqual(['cy', 'dan'])
    expect(audits('team.member_removed').map(({ target_name }) => target_name)).toEqual([
      'dan',
      'cy',
    ])
    expect(audits('team.member_role_changed')).toMatchObject([
      { data: { before: { role: 'member' }, after: { role: 'maintainer' } } },
    ])
  })
})
