import { describe, expect, test } from 'bun:test'
import { getTeam } from '#features/teams/get-team.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { listMembers } from '#features/workspaces/list-members.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { makeTeamWorld } from './fixture.ts'

describe('people', () => {
  test('a user who leaves the workspace leaves its teams and loses their roles', async () => {
    const { world, ada, bob, team, join, give, roleOf, audits } = await makeTeamWorld()
    await team('Core')
    await team('Shadow', { visibility: 'secret' })
    for (const slug of ['core', 'shadow']) await join(slug, 'bob')
    await give('core', 'write')
    const counts = async (who: typeof ada) =>
      (await world.call(listMembers, who, { workspace: 'acme' })).items.find(
        ({ user }) => user.username === 'bob',
      )?.teams_count
    expect([await counts(ada), await counts(bob)]).toEqual([2, 1])
    expect(await roleOf(bob)).toBe('write')
    await world.call(removeMember, ada, { workspace: 'acme', username: 'bob' })
    expect(await roleOf(bob)).toBe('nothing')
    expect(
      (await world.call(getTeam, ada, { workspace: 'acme', team: 'core' })).members_count,
    ).toBe(1)
    expect(audits('team.member_removed')).toHaveLength(2)
  })
})

describe('repositories', () => {
  test('a transferred repository loses its teams', async () => {
    const { world, ada, bob, team, join, give, roleOf, audits } = await makeTeamWorld()
    await team('Core')
    await join('core', 'bob')
    await give('core', 'write')
    await world.workspace('other', { owner: ada })
    await world.call(transferRepo, ada, { repo: 'acme/site', to: 'other' })
    expect(await roleOf(bob, 'other/site')).toBe('nothing')
    expect(audits('repo.transferred')[0]?.data.dropped).toEqual([
      { kind: 'team', name: 'core', role: 'write' },
    ])
  })
})
