import { expect, test } from 'bun:test'
import { downloadCounts } from '#features/packages/download-counts.ts'
import { openPackageFile } from '#features/packages/open-package-file.ts'
import { readPackageDetails } from '#features/packages/read-package-details.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('downloads are told by day, to those who may see the package', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const file = { ...npm('lib'), path: 'lib-1.0.0.tgz', counts: true }
  await world.call(openPackageFile, ada, file)
  await downloadCounts(world.hearth).flush()
  expect(await world.call(readPackageDetails, ada, npm('lib'))).toEqual({
    readme: null,
    downloads: [{ day: new Date(world.clock.at).toISOString().slice(0, 10), count: 1 }],
  })
  expect((await refusal(world.call(readPackageDetails, mel, npm('lib')))).status).toBe(404)
})
