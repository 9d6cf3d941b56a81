import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getRepoSettings } from '#features/repos/settings/get-repo-settings.ts'
import { DEFAULT_SETTINGS } from '#features/repos/index.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo('acme/site', { private: true })

test('everyone with an account who can see the repository reads its settings', async () => {
  expect(await world.call(getRepoSettings, bob, { repo: 'acme/site' })).toEqual(DEFAULT_SETTINGS)
  expect(
    (await refusal(world.call(getRepoSettings, anonymous, { repo: 'acme/site' }))).status,
  ).toBe(401)
  expect(
    (await refusal(world.call(getRepoSettings, await world.user('eve'), { repo: 'acme/site' })))
      .status,
  ).toBe(404)
})
