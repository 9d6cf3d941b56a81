import { expect, test } from 'bun:test'
import { deletePackage } from '#features/packages/delete-package.ts'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { listPackageVersions } from '#features/packages/list-package-versions.ts'
import { restorePackage } from '#features/packages/restore-package.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('restoring brings back the versions that were deleted with the package, and no others', async () => {
  const { world, ada, publish } = await makePackageWorld()
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) await publish('lib', version)
  await world.call(deletePackageVersion, ada, { ...npm('lib'), version: '1.2.0' })
  await world.call(deletePackage, ada, { ...npm('lib'), confirm: 'lib' })
  const restored = await world.call(restorePackage, ada, npm('lib'))
  expect(restored).toMatchObject({
    deleted_at: null,
    purge_at: null,
    version_count: 2,
    latest: '1.1.0',
  })
  const { items } = await world.call(listPackageVersions, ada, npm('lib'))
  expect(items.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0'])
})
