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

test('what a manifest names has to be there, and a refusal lists the first hundred', async () => {
  const { world, ada, link, put } = await makeImageWorld()
  const there = { mediaType: 'x', digest: await link('layer'), size: 5 }
  const missing = Array.from({ length: 150 }, (_, index) => ({
    mediaType: 'x',
    digest: `sha256:${index.toString(16).padStart(64, '0')}`,
    size: 1,
  }))
  const refused = await refusal(put({ layers: [there, ...missing] }, ['v1']))
  expect(refused).toMatchObject({ status: 400, reason: 'MANIFEST_BLOB_UNKNOWN' })
  expect(refused.details?.missing).toEqual(
    missing.slice(0, 100).map(({ digest }) => ({ code: 'MANIFEST_BLOB_UNKNOWN', digest })),
  )
  expect(await refusal(put({ manifests: missing }, ['v1']))).toMatchObject({
    status: 400,
    reason: 'MANIFEST_UNKNOWN',
  })
  expect(await refusal(put({ layers: Array(2001).fill(there) }, ['v1']))).toMatchObject({
    status: 400,
    reason: 'MANIFEST_INVALID',
  })
  expect((await world.call(getPackage, ada, image)).version_count).toBe(0)
  // A layer that is named twice counts twice, as its descriptors do.
  await put({ layers: [there, there] }, ['v1'])
  expect((await world.call(getPackage, ada, image)).version_count).toBe(1)
})
