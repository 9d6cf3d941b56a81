import { describe, expect, test } from 'bun:test'
import { createTeam } from '#features/teams/create-team.ts'
import { deleteTeam } from '#features/teams/delete-team.ts'
import { getTeam } from '#features/teams/get-team.ts'
import { listChildTeams } from '#features/teams/list-child-teams.ts'
import { listTeams } from '#features/teams/list-teams.ts'
import { updateTeam } from '#features/teams/update-team.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

const slugs = (list: { items: { slug: string }[] }) => list.items.map(({ slug }) => slug)

describe('making one', () => {
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
    // An owner is in no team and manages all.
    expect(await world.call(getTeam, ada, { workspace: 'acme', team: 'shadow' })).toMatchObject({
      viewer_role: null,
      can_manage: true,
    })
  })

  test('stand alone: no parent, no child', async () => {
    const { world, ada, team } = await makeTeamWorld()
    await team('Open')
    await team('Shadow', { visibility: 'secret' })
    expect((await refusal(team('Below', { parent: 'shadow' }))).field).toBe('parent')
    expect((await refusal(team('Hidden', { parent: 'open', visibility: 'secret' }))).field).toBe(
      'parent',
    )
    await team('Child', { parent: 'open' })
    const change = (name: string, input: object) =>
      world.call(updateTeam, ada, { workspace: 'acme', team: name, ...input })
    expect((await refusal(change('open', { visibility: 'secret' }))).field).toBe('visibility')
    expect((await refusal(change('child', { visibility: 'secret' }))).field).toBe('visibility')
    expect((await refusal(change('shadow', { parent: 'open' }))).field).toBe('parent')
    expect(await change('child', { visibility: 'secret', parent: null })).toMatchObject({
      visibility: 'secret',
      parent: null,
    })
  })
})

describe('nesting', () => {
  test('six deep and no deeper, also when a tree is moved; never in a circle', async () => {
    const { world, ada, team } = await makeTeamWorld()
    for (let depth = 1; depth <= 6; depth++)
      await team(`t${depth}`, depth === 1 ? {} : { parent: `t${depth - 1}` })
    expect((await refusal(team('t7', { parent: 't6' }))).field).toBe('parent')
    const move = (name: string, parent: string | null) =>
      world.call(updateTeam, ada, { workspace: 'acme', team: name, parent })
    for (const [name, parent] of [
      ['t1', 't6'],
      ['t2', 't2'],
      ['t1', 't3'],
    ] as const)
      expect([name, parent, (await refusal(move(name, parent))).field]).toEqual([
        name,
        parent,
        'parent',
      ])
    await team('top')
    expect((await refusal(move('t1', 'top'))).field).toBe('parent')
    expect((await move('t4', 'top')).parent).toEqual({ slug: 'top', name: 'top' })
    expect(
      slugs(await world.call(listChildTeams, ada, { workspace: 'acme', team: 'top' })),
    ).toEqual(['t4'])
    expect(
      (await world.call(getTeam, ada, { workspace: 'acme', team: 'top' })).child_teams_count,
    ).toBe(1)
    // t1 to t3 are free of what was moved away, which may stand above them now, as far as six
    // reach.
    expect((await refusal(move('t1', 't6'))).message).toContain('at most 6')
    expect((await move('t1', 't5')).parent?.slug).toBe('t5')
  })

  test('whoever puts a team below another must manage that one', async () => {
    const { world, bob, cy, team, give, join, roleOf } = await makeTeamWorld()
    await team('Core')
    await give('core', 'admin')
    // Otherwise any member could give themselves what the upper team has.
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

describe('changing and deleting', () => {
  test('owners and maintainers change it; the slug stays', async () => {
    const { world, ada, bob, cy, team, join, audits } = await makeTeamWorld()
    await team('Core', {}, bob)
    await join('core', 'cy', 'member', bob)
    const change = (who: typeof ada, input: object) =>
      world.call(updateTeam, who, { workspace: 'acme', team: 'core', ...input })
    expect((await refusal(change(cy, { name: 'Mine' }))).reason).toBe('role')
    expect(await change(bob, { name: 'Kernel', notify: false })).toMatchObject({
      slug: 'core',
      name: 'Kernel',
      notify: false,
    })
    expect((await change(ada, { description: 'Of it all' })).name).toBe('Kernel')
    expect((await refusal(change(ada, {}))).code).toBe('invalid')
    expect(
      audits('team.updated').map(({ data }) => (data['after'] as { name: string }).name),
    ).toEqual(['Kernel', 'Kernel'])
  })

  test('deleting ends what it gave; its children go on at the top, without what they inherited', async () => {
    const { world, ada, bob, cy, team, join, give, roleOf, audits, db } = await makeTeamWorld()
    await team('Core', {}, bob)
    await team('Mid', { parent: 'core' }, bob)
    await team('Leaf', { parent: 'mid' }, bob)
    await join('leaf', 'cy')
    await give('core', 'write')
    await give('mid', 'read')
    expect(await roleOf(cy)).toBe('write')
    expect(
      (await refusal(world.call(deleteTeam, cy, { workspace: 'acme', team: 'core' }))).reason,
    ).toBe('role')
    await world.call(deleteTeam, bob, { workspace: 'acme', team: 'core' })
    expect(await roleOf(cy)).toBe('read')
    expect(await world.call(getTeam, ada, { workspace: 'acme', team: 'mid' })).toMatchObject({
      parent: null,
    })
    expect((await world.call(getTeam, ada, { workspace: 'acme', team: 'leaf' })).parent?.slug).toBe(
      'mid',
    )
    expect(
      (await refusal(world.call(getTeam, ada, { workspace: 'acme', team: 'core' }))).code,
    ).toBe('not_found')
    expect(audits('team.deleted')[0]?.data).toMatchObject({
      before: { repositories: [{ full_name: 'acme/site', role: 'write' }] },
    })
    expect(
      db.all(
        'SELECT l.team_id FROM team_lines l LEFT JOIN teams t ON t.id = l.ancestor_id WHERE t.id IS NULL',
      ),
    ).toEqual([])
  })

  test('q narrows, and pages go on', async () => {
    const { world, ada, team } = await makeTeamWorld()
    for (const name of ['Alpha', 'Beta', 'Alphabet', '100%'])
      await team(name, name === '100%' ? { slug: 'all' } : {})
    const list = (input: object) => world.call(listTeams, ada, { workspace: 'acme', ...input })
    expect(slugs(await list({ q: 'alpha' }))).toEqual(['alphabet', 'alpha'])
    expect(slugs(await list({ q: '%' }))).toEqual(['all'])
    const first = await list({ per_page: 3 })
    expect([slugs(first), first.next]).toEqual([['all', 'alphabet', 'beta'], '2'])
    expect(slugs(await list({ per_page: 3, cursor: '2' }))).toEqual(['alpha'])
  })
})
