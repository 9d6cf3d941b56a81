import { expect, test } from 'bun:test'
import { linkPackage } from '#features/packages/link-package.ts'
import { listPackageAccess } from '#features/packages/access/list-package-access.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { makePackageWorld, npm } from '../fixture.ts'

test('access names the repository only while its roles count', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const repository = async () => (await world.call(listPackageAccess, ada, npm('lib'))).repository
  expect(await repository()).toBeNull()
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  expect(await repository()).toBe('acme/site')
  await world.call(updatePackage, ada, { ...npm('lib'), inherit_access: false })
  expect(await repository()).toBeNull()
})
