import { expect, test } from 'bun:test'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { restorePackageVersion } from '#features/packages/restore-package-version.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a restored version is there again, and the package with it', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('lib', '1.1.0')
  const restore = (version: string) =>
    world.call(restorePackageVersion, ada, { ...npm('lib'), version })
  for (const version of ['1.0.0', '1.1.0'])
    await world.call(deletePackageVersion, ada, { ...npm('lib'), version })
  expect(await restore('1.0.0')).toMatchObject({ deleted_at: null, purge_at: null })
  expect(await world.call(getPackage, ada, npm('lib'))).toMatchObject({
    deleted_at: null,
    latest: '1.0.0',
    version_count: 1,
  })
  await restore('1.1.0')
  expect(await world.call(getPackage, ada, npm('lib'))).toMatchObject({ latest: '1.1.0' })
})
