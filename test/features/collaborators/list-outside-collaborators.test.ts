import { describe, expect, test } from 'bun:test'
import { listOutsideCollaborators } from '#features/collaborators/list-outside-collaborators.ts'
import { listAssignees } from '#features/issues/assignees/list-assignees.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { repoByPath } from '#features/repos/index.ts'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { agentOf, refusal, withToken } from '../../world.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('outside collaborators', () => {
  test('an outside collaborator sees the repository, can be assigned and is listed to owners', async () => {
    const { world, ada, bob, repo, outsider } = await makeRepoWorld()
    const oz = await outsider('oz', 'triage')
    await world.repo('acme/secret', { as: ada, private: true })
    expect((await world.call(listRepos, oz, {})).items.map(({ full_name }) => full_name)).toEqual([
      repo,
    ])
    expect(
      (await world.call(listRepos, withToken(oz, { repos: ['rep_other'] }), {})).items,
    ).toEqual([])
    expect(
      (await world.call(listRepos, withToken(oz, { workspace: 'wsp_other' }), {})).items,
    ).toEqual([])
    expect(
      (await world.call(listAssignees, ada, { repo })).items.map(({ username }) => username),
    ).toEqual(['ada', 'oz'])
    const { items } = await world.call(listOutsideCollaborators, ada, { workspace: 'acme' })
    expect(items).toMatchObject([
      {
        user: { username: 'oz' },
        repositories: [{ full_name: repo, role: 'triage' }],
        two_factor_enabled: false,
      },
    ])
    expect(
      (await refusal(world.call(listOutsideCollaborators, bob, { workspace: 'acme' }))).reason,
    ).toBe('role')
    expect(
      (await refusal(world.call(listOutsideCollaborators, oz, { workspace: 'acme' }))).code,
    ).toBe('not_found')
  })
  test('outside collaborators need the second factor that the workspace requires', async () => {
    const { world, ada, repo, outsider, roleOf } = await makeRepoWorld()
    const oz = await outsider('oz', 'write')
    const { database, db } = world.hearth
    database.run('UPDATE workspaces SET two_factor_requirement_enabled = 1')
    database.run('UPDATE users SET two_factor_enabled = 1 WHERE id = ?', ada.id)
    const blocked = await refusal(world.call(getRepo, oz, { repo }))
    expect([blocked.status, blocked.reason]).toEqual([403, 'two_factor_required'])
    expect(
      (
        await refusal(
          world.call(getRepo, agentOf(oz, repoByPath(db, repo) ?? { id: '' }, { id: 'agt_1' }), {
            repo,
          }),
        )
      ).reason,
    ).toBe('two_factor_required')
    // Lists hide private repositories too. Public ones stay readable.
    expect((await world.call(listRepos, oz, {})).items).toEqual([])
    await world.repo('acme/open', { as: ada })
    expect((await world.call(getRepo, oz, { repo: 'acme/open' })).name).toBe('open')
    // An outsider without a role gets 404.
    expect((await refusal(world.call(getRepo, await world.user('stranger'), { repo }))).code).toBe(
      'not_found',
    )
    database.run('UPDATE users SET two_factor_enabled = 1 WHERE id = ?', oz.id)
    expect(await roleOf(oz)).toBe('write')
  })
})
