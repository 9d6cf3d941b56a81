import { expect, test } from 'bun:test'
import { addDeployKey } from '#features/keys/add-deploy-key.ts'
import { findKeyCaller } from '#features/keys/index.ts'
import { listDeployKeys } from '#features/keys/list-deploy-keys.ts'
import { newSshKey } from '../../ssh.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, OTHER, REPO } from '../lfs/fixture.ts'

test('deploy keys are listed with their last use, to administrators of the repository', async () => {
  const { world, ada, mia } = await makeLfsWorld()
  for (const [repo, title] of [
    [REPO, 'first'],
    [REPO, 'second'],
    [OTHER, 'other'],
  ] as const) {
    world.clock.advance(1000)
    await world.call(addDeployKey, ada, { repo, title, key: newSshKey().line })
  }
  const list = async () => (await world.call(listDeployKeys, ada, { repo: REPO })).items
  expect((await list()).map(({ title, last_used_at }) => [title, last_used_at])).toEqual([
    ['second', null],
    ['first', null],
  ])
  findKeyCaller(world.hearth, (await list())[0]?.id ?? '')
  await world.write(() => null)
  expect((await list())[0]?.last_used_at).not.toBeNull()
  expect((await refusal(world.call(listDeployKeys, mia, { repo: REPO }))).status).toBe(403)
})
