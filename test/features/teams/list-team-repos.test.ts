import { describe, expect, test } from 'bun:test'
import { listTeamRepos } from '#features/teams/list-team-repos.ts'
import { makeTeamWorld } from './fixture.ts'

describe('repositories', () => {
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
})
