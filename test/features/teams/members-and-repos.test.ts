import { describe, expect, test } from 'bun:test'
import { listRepos } from '#features/repos/list-repos.ts'
import { getTeam } from '#features/teams/get-team.ts'
import { listTeamMembers } from '#features/teams/list-team-members.ts'
import { listTeamRepos } from '#features/teams/list-team-repos.ts'
import { removeTeamMember } from '#features/teams/remove-team-member.ts'
import { removeTeamRepo } from '#features/teams/remove-team-repo.ts'
import { setReviewAssignment } from '#features/teams/set-review-assignment.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { setTeamRepo } from '#features/teams/set-team-repo.ts'
import { transferRepo } from '#features/repos/transfer-repo.ts'
import { listMembers } from '#features/workspaces/list-members.ts'
import { removeMember } from '#features/workspaces/remove-member.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
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
    // What is left out stays.
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

  test('only people of the workspace; strangers and unknown names read the same', async () => {
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

  test('whoever leaves the workspace leaves its teams, and what those gave', async () => {
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
  test('a team gives a role at once, and its child teams inherit it', async () => {
    const { world, ada, bob, cy, dan, team, join, give, roleOf, audits } = await makeTeamWorld()
    await team('Core')
    await team('Child', { parent: 'core' })
    await team('Grandchild', { parent: 'child' })
    await join('core', 'bob')
    await join('grandchild', 'cy')
    expect(await give('core', 'triage')).toMatchObject({
      full_name: 'acme/site',
      role: 'triage',
      inherited_from: null,
    })
    expect([await roleOf(bob), await roleOf(cy), await roleOf(dan)]).toEqual([
      'triage',
      'triage',
      'nothing',
    ])
    expect(await give('grandchild', 'maintain')).toMatchObject({
      role: 'maintain',
      inherited_from: null,
    })
    expect([await roleOf(bob), await roleOf(cy)]).toEqual(['triage', 'maintain'])
    const repos = async (slug: string) =>
      (await world.call(listTeamRepos, ada, { workspace: 'acme', team: slug })).items.map(
        ({ role, inherited_from }) => [role, inherited_from],
      )
    expect([await repos('core'), await repos('child'), await repos('grandchild')]).toEqual([
      [['triage', null]],
      [['triage', 'core']],
      [['maintain', null]],
    ])
    expect((await world.call(getTeam, ada, { workspace: 'acme', team: 'child' })).repos_count).toBe(
      1,
    )
    // The higher one from above counts.
    await give('core', 'admin')
    expect(await repos('grandchild')).toEqual([['admin', 'core']])
    expect(audits('team.repository_role_changed')).toMatchObject([
      { data: { before: { role: 'triage' }, after: { role: 'admin' } } },
    ])
    // Lists show it too.
    const seen = async (who: typeof ada) =>
      (await world.call(listRepos, who, {})).items.map(({ full_name }) => full_name)
    expect([await seen(cy), await seen(dan)]).toEqual([['acme/site'], []])
  })

  test('it ends where it was given, not below', async () => {
    const { world, ada, cy, team, join, give, roleOf } = await makeTeamWorld()
    await team('Core')
    await team('Child', { parent: 'core' })
    await join('child', 'cy')
    await give('core', 'write')
    const end = (slug: string) =>
      world.call(removeTeamRepo, ada, { workspace: 'acme', team: slug, repo: 'acme/site' })
    const inherited = await refusal(end('child'))
    expect([inherited.field, inherited.message.includes('core')]).toEqual(['team', true])
    expect(await roleOf(cy)).toBe('write')
    expect(await end('core')).toBeNull()
    expect(await roleOf(cy)).toBe('nothing')
    expect((await refusal(end('core'))).code).toBe('not_found')
  })

  test('giving needs admin on the repository, sight of the team, and the same workspace', async () => {
    const { world, ada, bob, cy, team, join, give, out, site } = await makeTeamWorld()
    await team('Core')
    await team('Shadow', { visibility: 'secret' })
    await join('core', 'bob', 'maintainer')
    // A maintainer of the team has no say over repositories.
    expect((await refusal(give('core', 'read', bob))).code).toBe('not_found')
    await give('core', 'maintain')
    expect((await refusal(give('core', 'admin', bob))).reason).toBe('role')
    await give('core', 'admin')
    expect((await refusal(give('shadow', 'read', bob))).code).toBe('not_found')
    expect((await refusal(give('core', 'read', cy))).code).toBe('not_found')
    await world.workspace('other', { owner: ada })
    await world.repo('other/lib', { as: ada })
    expect((await refusal(give('core', 'read', ada, 'other/lib'))).field).toBe('repo')
    await world.workspace('elsewhere', { owner: out })
    expect(
      (
        await refusal(
          world.call(setTeamRepo, ada, {
            workspace: 'elsewhere',
            team: 'core',
            repo: 'acme/site',
            role: 'read',
          }),
        )
      ).code,
    ).toBe('not_found')
    expect(
      (await refusal(give('core', 'read', withToken(ada, { scopes: ['repo:admin'] })))).details,
    ).toEqual({ scope: 'access:admin' })
    const agent = agentOf(ada, site, { id: 'agt_x' })
    expect(
      (
        await refusal(
          world.call(setTeamRepo, agent, {
            workspace: 'acme',
            team: 'core',
            repo: 'acme/site',
            role: 'read',
          }),
        )
      ).reason,
    ).toBe('person_required')
  })

  test('a team page names no repository that the reader cannot see', async () => {
    const { world, ada, bob, team, give } = await makeTeamWorld()
    await world.repo('acme/open', { as: ada })
    await team('Core')
    await give('core', 'read')
    await give('core', 'write', ada, 'acme/open')
    const names = async (who: typeof ada) =>
      (await world.call(listTeamRepos, who, { workspace: 'acme', team: 'core' })).items.map(
        ({ full_name }) => full_name,
      )
    expect([await names(ada), await names(bob)]).toEqual([
      ['acme/open', 'acme/site'],
      ['acme/open'],
    ])
    const first = await world.call(listTeamRepos, ada, {
      workspace: 'acme',
      team: 'core',
      per_page: 1,
    })
    expect([first.items.length, first.next]).toEqual([1, '2'])
  })

  test('a repository that moves to another workspace leaves the teams behind', async () => {
    const { world, ada, bob, team, join, give, roleOf, audits } = await makeTeamWorld()
    await team('Core')
    await join('core', 'bob')
    await give('core', 'write')
    await world.workspace('other', { owner: ada })
    await world.call(transferRepo, ada, { repo: 'acme/site', to: 'other' })
    expect(await roleOf(bob, 'other/site')).toBe('nothing')
    expect(audits('repo.transferred')[0]?.data['dropped']).toEqual([
      { kind: 'team', name: 'core', role: 'write' },
    ])
  })

  test('an agent has what its person has through a team, at most write', async () => {
    const { bob, team, join, give, roleOf, site } = await makeTeamWorld()
    await team('Core')
    await join('core', 'bob')
    await give('core', 'admin')
    expect(await roleOf(agentOf(bob, site, { id: 'agt_x' }))).toBe('write')
    expect(await roleOf(withToken(bob, { role: 'read' }))).toBe('read')
    expect(await roleOf(withToken(bob, { repos: ['rep_other'] }))).toBe('nothing')
  })
})

describe('review assignment', () => {
  test('fields left out keep their value, and the list of excluded is replaced whole', async () => {
    const { world, ada, bob, cy, team, join, audits } = await makeTeamWorld()
    await team('Core', {}, bob)
    await join('core', 'cy', 'member', bob)
    const set = (who: typeof ada, input: object) =>
      world.call(setReviewAssignment, who, { workspace: 'acme', team: 'core', ...input })
    expect(
      (await set(bob, { enabled: true, count: 2, excluded: ['cy', '@dan', 'cy'] }))
        .review_assignment,
    ).toMatchObject({ enabled: true, count: 2, algorithm: 'round_robin', excluded: ['cy', 'dan'] })
    expect(
      (await set(ada, { algorithm: 'load_balance', excluded: ['bob'] })).review_assignment,
    ).toMatchObject({ enabled: true, count: 2, algorithm: 'load_balance', excluded: ['bob'] })
    expect((await set(ada, { enabled: false })).review_assignment.excluded).toEqual(['bob'])
    expect((await refusal(set(cy, { enabled: true }))).reason).toBe('role')
    for (const [input, field] of [
      [{ count: 0 }, 'count'],
      [{ count: 11 }, 'count'],
      [{ busy_at: 101 }, 'busy_at'],
      [{ algorithm: 'random' }, 'algorithm'],
      [{ excluded: ['bob', 'nobody'] }, 'excluded[1]'],
      [{ excluded: ['out'] }, 'excluded[0]'],
    ] as const) {
      expect([input, (await refusal(set(ada, input))).field]).toEqual([input, field])
    }
    expect(
      (await world.call(getTeam, cy, { workspace: 'acme', team: 'core' })).review_assignment,
    ).toMatchObject({ enabled: false, count: 2, excluded: ['bob'] })
    expect(audits('team.review_assignment_changed')).toHaveLength(3)
    expect(
      (await refusal(set(withToken(bob, { scopes: ['workspace:read'] }), { count: 1 }))).reason,
    ).toBe('scope')
  })
})
