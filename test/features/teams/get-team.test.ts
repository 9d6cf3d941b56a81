import { describe, expect, test } from 'bun:test'
import { getTeam } from '#features/teams/get-team.ts'
import { listTeams } from '#features/teams/list-teams.ts'
import { refusal, workspaceCaller } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

const slugs = (list: { items: { slug: string }[] }) => list.items.map(({ slug }) => slug)

describe('secret teams', () => {
  test('are seen by those in them and by owners only, in lists too', async () => {
    const { world, ada, bob, cy, team, join, workspace } = await makeTeamWorld()
    await team('Open', {}, bob)
    await team('Shadow', { visibility: 'secret' }, bob)
    const seenBy = async (who: typeof ada) =>
      slugs(await world.call(listTeams, who, { workspace: 'acme' }))
    expect([await seenBy(ada), await seenBy(bob), await seenBy(cy)]).toEqual([
      ['shadow', 'open'],
      ['shadow', 'open'],
      ['open'],
    ])
    expect(
      slugs(
        await world.call(listTeams, workspaceCaller(workspace, { scopes: ['workspace:read'] }), {
          workspace: 'acme',
        }),
      ),
    ).toEqual(['open'])
    expect(
      (await refusal(world.call(getTeam, cy, { workspace: 'acme', team: 'shadow' }))).message,
    ).toBe(
      (
        await refusal(world.call(getTeam, cy, { workspace: 'acme', team: 'shadowy' }))
      ).message.replace('shadowy', 'shadow'),
    )
    await join('shadow', 'cy', 'member', bob)
    expect((await world.call(getTeam, cy, { workspace: 'acme', team: 'Shadow' })).viewer_role).toBe(
      'member',
    )
    // An owner manages teams without being in them.
    expect(await world.call(getTeam, ada, { workspace: 'acme', team: 'shadow' })).toMatchObject({
      viewer_role: null,
      can_manage: true,
    })
  })
})
