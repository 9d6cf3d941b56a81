import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { refusal } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('the tag latest is the latest version, else the newest; readers publish nothing', async () => {
  const { world, ada, otto, rita, push } = await makeImageWorld()
  const latest = async () => (await world.call(getPackage, ada, image)).latest
  await push('one', ['latest'])
  await push('two', ['v2'])
  expect(await latest()).toBe('latest')
  await world.call(linkPackage, ada, { ...image, repository: 'site' })
  await push('three', ['latest'], otto)
  expect(await refusal(push('four', ['v4'], rita))).toMatchObject({ status: 403, reason: 'role' })
  expect((await world.call(getPackage, ada, image)).version_count).toBe(3)
  // The tag moved, so it is told of again; the same push once more is not.
  await push('three', ['latest'], otto)
  expect(world.events('package.published').map(({ data }) => data.tags)).toEqual([
    ['latest'],
    ['v2'],
    ['latest'],
  ])
})

test('an image is a version for everyone when a tag is a version number', async () => {
  const { world, push } = await makeImageWorld()
  await push('one', ['main', 'sha-1234567'])
  await push('one', ['v1.2.0', 'latest'])
  await push('two', ['20'])
  expect(world.events('package.published').map(({ data }) => data.release)).toEqual([
    false,
    true,
    false,
  ])
})
