import { describe, expect, test } from 'bun:test'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { getTeam } from '#features/teams/get-team.ts'
import { listTeamRepos } from '#features/teams/list-team-repos.ts'
import { setTeamRepo } from '#features/teams/set-team-repo.ts'
import { agentOf, refusal, withToken } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

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
    // The higher role of the ancestor counts.
    await give('core', 'admin')
    expect(await repos('grandchild')).toEqual([['admin', 'core']])
    expect(audits('team.repository_role_changed')).toMatchObject([
      { data: { before: { role: 'triage' }, after: { role: 'admin' } } },
    ])
    // The list of repositories includes it.
    const seen = async (who: typeof ada) =>
      (await world.call(listRepos, who, {})).items.map(({ full_name }) => full_name)
    expect([await seen(cy), await seen(dan)]).toEqual([['acme/site'], []])
  })
  test('giving a role needs admin, a visible team and the same workspace', async () => {
    const { world, ada, bob, cy, team, join, give, out, site } = await makeTeamWorld()
    await team('Core')
    await team('Shadow', { visibility: 'secret' })
    await join('core', 'bob', 'maintainer')
    // A team maintainer cannot give roles on repositories.
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
  test("an agent has its owner's team role, at most write", async () => {
    const { bob, team, join, give, roleOf, site } = await makeTeamWorld()
    await team('Core')
    await join('core', 'bob')
    await give('core', 'admin')
    expect(await roleOf(agentOf(bob, site, { id: 'agt_x' }))).toBe('write')
    expect(await roleOf(withToken(bob, { role: 'read' }))).toBe('read')
    expect(await roleOf(withToken(bob, { repos: ['rep_other'] }))).toBe('nothing')
  })
})
