import { expect, test } from 'bun:test'
import { followRepositories } from '#features/accounts/follow-repositories.ts'
import { createToken } from '#features/accounts/create-token.ts'
import { listTokens } from '#features/accounts/list-tokens.ts'
import { makeWorld } from '../../world.ts'

test('a token shows its repository by the name it has now', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  await world.workspace('other', { owner: ada })
  const repo = await world.repo('acme/site')
  await world.call(createToken, ada, { name: 'ci', scopes: ['code:read'], repos: ['acme/site'] })
  const happen = (type: string, data: Record<string, unknown>) =>
    world.write((tx) => {
      const event = {
        id: 'evt_1',
        type,
        time: tx.now,
        workspace_id: acme.id,
        repo_id: repo.id,
        actor_id: ada.id,
        data,
      }
      for (const { on, run } of followRepositories) if (on === type) run(tx, event)
    })
  const names = async () => (await world.call(listTokens, ada, {})).items[0]?.repos
  await happen('repo.renamed', { previous_name: 'site', name: 'home' })
  expect(await names()).toEqual(['acme/home'])
  await happen('repo.transferred', { previous_workspace: 'acme', workspace: 'other' })
  expect(await names()).toEqual(['other/home'])
})
