import { expect, test } from 'bun:test'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { listPackageVersions } from '#features/packages/list-package-versions.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('versions come newest first, in pages, deleted ones for admins only', async () => {
  const { world, ada, rita, publish } = await makePackageWorld()
  for (const version of ['1.0.0', '3.0.0', '2.0.0']) await publish('lib', version)
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  await world.call(deletePackageVersion, ada, { ...npm('lib'), version: '3.0.0' })
  const list = async (who: typeof ada, change: object = {}) => {
    const page = await world.call(listPackageVersions, who, { ...npm('lib'), ...change })
    return [page.items.map(({ version }) => version), page.total]
  }
  expect(await list(ada)).toEqual([['2.0.0', '1.0.0'], 2])
  expect(await list(ada, { per_page: 1, page: 2 })).toEqual([['1.0.0'], 2])
  expect(await list(ada, { state: 'deleted' })).toEqual([['3.0.0'], 1])
  expect(await list(ada, { state: 'all' })).toEqual([['2.0.0', '3.0.0', '1.0.0'], 3])
  expect(await list(rita, { state: 'deleted' })).toEqual([[], 0])
  expect(await list(rita, { state: 'all' })).toEqual([['2.0.0', '1.0.0'], 2])
})
