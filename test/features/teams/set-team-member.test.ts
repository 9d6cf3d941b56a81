import { describe, expect, test } from 'bun:test'
import { getTeam } from '#features/teams/get-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

describe('people', () => {
  test('only workspace members are added; outsiders and unknown names get one message', async () => {
    const { world, ada, team, join, workspace } = await makeTeamWorld()
    await team('Core')
    const [stranger, nobody] = [
      await refusal(join('core', 'out')),
      await refusal(join('core', 'nobody')),
    ]
    expect([stranger.field, stranger.message.replace('out', 'X')]).toEqual([
      'username',
      nobody.message.replace('nobody', 'X'),
    ])
    expect(
      (
        await refusal(
          world.call(setTeamMember, workspaceCaller(workspace), {
            workspace: 'acme',
            team: 'core',
            username: 'bob',
          }),
        )
      ).reason,
    ).toBe('person_required')
    expect(
      (
        await refusal(
          join('core', 'bob', 'member', withToken(ada, { scopes: ['workspace:admin'] })),
        )
      ).details,
    ).toEqual({ scope: 'access:admin' })
    expect(
      (await world.call(getTeam, ada, { workspace: 'acme', team: 'core' })).members_count,
    ).toBe(1)
  })
})
