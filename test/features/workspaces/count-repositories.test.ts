import { expect, test } from 'bun:test'
import { countRepositories } from '#features/workspaces/count-repositories.ts'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { makeWorld } from '../../world.ts'

test('the count follows created, deleted, restored and transferred repositories', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  await world.workspace('other', { owner: ada })
  const counts = async () => [
    (await world.call(getWorkspace, ada, { workspace: 'acme' })).repositories_count,
    (await world.call(getWorkspace, ada, { workspace: 'other' })).repositories_count,
  ]
  const happen = (type: string, data: Record<string, unknown> = {}) =>
    world.write((tx) => {
      const event = {
        id: 'evt_1',
        type,
        time: tx.now,
        workspace_id: acme.id,
        repo_id: 'rep_1',
        actor_id: ada.id,
        data,
      }
      for (const { on, run } of countRepositories) if (on === type) run(tx, event)
    })
  await world.repo('acme/site')
  await world.repo('acme/docs')
  expect(await counts()).toEqual([2, 0])
  await happen('repo.deleted')
  expect(await counts()).toEqual([1, 0])
  await happen('repo.restored')
  await happen('repo.transferred', { previous_workspace: 'acme', workspace: 'other' })
  expect(await counts()).toEqual([1, 1])
})
