import { describe, expect, test } from 'bun:test'
import { createTeam } from '#features/teams/create-team.ts'
import { getTeam } from '#features/teams/get-team.ts'
import { listTeams } from '#features/teams/list-teams.ts'
import { updateTeam } from '#features/teams/update-team.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

describe('creating a team', () => {
  test('a member makes a team and maintains it; the slug comes from the name', async () => {
    const { world, bob, cy, team, audits } = await makeTeamWorld()
    const made = await team('Front  End & Design!', { description: 'Pixels\nand more' }, bob)
    expect(made).toMatchObject({
      workspace: 'acme',
      slug: 'front-end-design',
      name: 'Front End & Design!',
      description: 'Pixels and more',
      visibility: 'visible',
      parent: null,
      notify: true,
      members_count: 1,
      repos_count: 0,
      child_teams_count: 0,
      viewer_role: 'maintainer',
      can_manage: true,
      review_assignment: {
        enabled: false,
        algorithm: 'round_robin',
        count: 1,
        skip_busy: false,
        busy_at: 5,
        include_child_teams: false,
        excluded: [],
        notify_team: true,
      },
    })
    expect(await world.call(getTeam, cy, { workspace: 'acme', team: made.slug })).toMatchObject({
      viewer_role: null,
      can_manage: false,
    })
    expect(audits('team.created')).toMatchObject([{ target_name: made.slug, actor_id: bob.id }])
  })

  test('slugs: taken, reserved, impossible', async () => {
    const { team } = await makeTeamWorld()
    await team('Core')
    expect((await refusal(team('core'))).reason).toBe('already_exists')
    for (const name of ['Owners', 'members', 'EVERYONE'])
      expect((await refusal(team(name))).reason).toBe('already_exists')
    expect((await refusal(team('日本'))).field).toBe('slug')
    expect((await team('日本', { slug: 'nihon' })).name).toBe('日本')
    for (const slug of ['Not', 'a--b', '-a', 'x'.repeat(40)])
      expect([slug, (await refusal(team('Fine', { slug }))).field]).toEqual([slug, 'slug'])
    expect((await refusal(team(' \n '))).field).toBe('name')
    expect((await team('x'.repeat(300))).slug).toHaveLength(39)
  })

  test('only owners where the workspace says so, and only people with the scopes', async () => {
    const { world, ada, bob, out, team, workspace, site } = await makeTeamWorld()
    await world.call(setMemberPrivileges, ada, { workspace: 'acme', team_creation: 'owners' })
    expect((await refusal(team('Core', {}, bob))).reason).toBe('role')
    expect((await refusal(team('Core', {}, out))).code).toBe('not_found')
    expect(
      (await refusal(team('Core', {}, withToken(ada, { scopes: ['workspace:admin'] })))).details,
    ).toEqual({ scope: 'access:admin' })
    expect((await refusal(team('Core', {}, withToken(ada, { repos: [site.id] })))).code).toBe(
      'forbidden',
    )
    const input = { workspace: 'acme', name: 'Core' }
    expect((await refusal(world.call(createTeam, workspaceCaller(workspace), input))).reason).toBe(
      'person_required',
    )
    expect(
      (await refusal(world.call(createTeam, agentOf(ada, site, { id: 'agt_x' }), input))).reason,
    ).toBe('person_required')
    expect((await world.call(listTeams, ada, { workspace: 'acme' })).items).toEqual([])
    expect((await team('Core')).slug).toBe('core')
  })
})

describe('nesting', () => {
  test('moving a team below a parent requires managing the parent', async () => {
    const { world, bob, cy, team, give, join, roleOf } = await makeTeamWorld()
    await team('Core')
    await give('core', 'admin')
    // Otherwise any member could obtain the roles of the parent team.
    expect((await refusal(team('Mine', { parent: 'core' }, bob))).reason).toBe('role')
    await team('Mine', {}, bob)
    expect(
      (
        await refusal(
          world.call(updateTeam, bob, { workspace: 'acme', team: 'mine', parent: 'core' }),
        )
      ).reason,
    ).toBe('role')
    expect(await roleOf(bob)).toBe('nothing')
    await join('core', 'bob', 'maintainer')
    await world.call(updateTeam, bob, { workspace: 'acme', team: 'mine', parent: 'core' })
    await join('mine', 'cy', 'member', bob)
    expect(await roleOf(cy)).toBe('admin')
  })
})
