import { expect, test } from 'bun:test'
import { addDeployKey } from '#features/keys/add-deploy-key.ts'
import { findSshCaller } from '#features/keys/index.ts'
import { removeDeployKey } from '#features/keys/remove-deploy-key.ts'
import { newSshKey } from '../../ssh.ts'
import { refusal } from '../../world.ts'
import { makeLfsWorld, OTHER, REPO } from '../lfs/fixture.ts'

test('a removed key lets nobody in, and only its own repository removes it', async () => {
  const { world, ada, mia } = await makeLfsWorld()
  const { id, fingerprint } = await world.call(addDeployKey, ada, {
    repo: REPO,
    title: 'server',
    key: newSshKey().line,
  })
  const remove = (repo: string, by = ada) => world.call(removeDeployKey, by, { repo, id })
  expect((await refusal(remove(OTHER))).status).toBe(404)
  expect((await refusal(remove(REPO, mia))).status).toBe(403)
  expect(findSshCaller(world.hearth, fingerprint)?.id).toBe(id)
  await remove(REPO)
  expect(findSshCaller(world.hearth, fingerprint)).toBeNull()
  expect((await refusal(remove(REPO))).status).toBe(404)
})
