import { expect, test } from 'bun:test'
import { listPackages } from '#features/packages/list-packages.ts'
import { openImageBlob } from '#features/packages/images/open-image-blob.ts'
import { refusal } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('the first layer creates the package, which is listed from its first manifest on', async () => {
  const { world, ada, zoe, link, push } = await makeImageWorld()
  expect((await refusal(link('layer', zoe))).status).toBe(404)
  const digest = await link('layer')
  expect(await world.call(openImageBlob, ada, { ...image, digest })).toMatchObject({
    size_in_bytes: 5,
  })
  const listed = async () =>
    (await world.call(listPackages, ada, { workspace: 'acme' })).items.map(({ name }) => name)
  expect(await listed()).toEqual([])
  await push('layer', ['v1'])
  expect(await listed()).toEqual(['app'])
})
