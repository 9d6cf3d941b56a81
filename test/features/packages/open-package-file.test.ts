import { expect, test } from 'bun:test'
import { downloadCounts } from '#features/packages/download-counts.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { openPackageFile } from '#features/packages/open-package-file.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a file is found by its path, and downloads are counted before and after they are written', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0', { text: 'hello' })
  const open = (who: typeof ada, path: string) =>
    world.call(openPackageFile, who, { ...npm('lib'), path, counts: true })
  expect(await open(ada, 'lib-1.0.0.tgz')).toMatchObject({ size_in_bytes: 5 })
  await open(ada, 'lib-1.0.0.tgz')
  const counted = async () => (await world.call(getPackage, ada, npm('lib'))).download_count
  expect(await counted()).toBe(2)
  await downloadCounts(world.hearth).flush()
  expect(await counted()).toBe(2)
  for (const path of ['lib-2.0.0.tgz', '../lib-1.0.0.tgz'])
    expect((await refusal(open(ada, path))).status).toBe(404)
  expect((await refusal(open(mel, 'lib-1.0.0.tgz'))).status).toBe(404)
})
