import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { unlinkPackage } from '#features/packages/unlink-package.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('an unlinked package keeps its visibility and loses the roles of the repository', async () => {
  const { world, ada, otto, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  expect(await refusal(world.call(unlinkPackage, otto, npm('lib')))).toMatchObject({
    reason: 'role',
  })
  expect(await world.call(unlinkPackage, ada, npm('lib'))).toMatchObject({
    repository: null,
    visibility: 'private',
  })
  expect((await refusal(world.call(getPackage, otto, npm('lib')))).status).toBe(404)
})

test('a repository that moves to another workspace leaves its packages behind', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await world.workspace('other', { owner: ada })
  await publish('lib', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  await world.call(transferRepo, ada, { repo: 'acme/site', to: 'other' })
  expect(await world.call(getPackage, ada, npm('lib'))).toMatchObject({ repository: null })
})
