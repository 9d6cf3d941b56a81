import { expect, test } from 'bun:test'
import { renameReposInTokens } from '#features/accounts/tokens/rename-repos-in-tokens.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { listTokens } from '#features/accounts/tokens/list-tokens.ts'
import { makeWorld } from '../../../world.ts'

test('a token shows the current name of its repository', async () => {
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
      for (const { on, run } of renameReposInTokens) if (on === type) run(tx, event)
    })
  const names = async () => (await world.call(listTokens, ada, {})).items[0]?.repos
  await happen('repo.renamed', { previous_name: 'site', name: 'home' })
  expect(await names()).toEqual(['acme/home'])
  await happen('repo.transferred', { previous_workspace: 'acme', workspace: 'other' })
  expect(await names()).toEqual(['other/home'])
})
