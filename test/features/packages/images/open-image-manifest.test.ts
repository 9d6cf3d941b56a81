import { expect, test } from 'bun:test'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { openImageManifest } from '#features/packages/images/open-image-manifest.ts'
import { restorePackageVersion } from '#features/packages/restore-package-version.ts'
import { refusal } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('a manifest is found by tag and digest, and not while its version is deleted', async () => {
  const { world, ada, mel, push } = await makeImageWorld()
  const digest = await push('one', ['v1'])
  await push('two', ['v2'])
  const open = (reference: string, who = ada) =>
    world.call(openImageManifest, who, { ...image, reference })
  for (const reference of ['v1', digest]) expect((await open(reference)).digest).toBe(digest)
  expect((await refusal(open('v1', mel))).status).toBe(404)
  await world.call(deletePackageVersion, ada, { ...image, version: 'v1' })
  for (const reference of ['v1', digest]) expect((await refusal(open(reference))).status).toBe(404)
  await world.call(restorePackageVersion, ada, { ...image, version: digest })
  for (const reference of ['v1', digest]) expect((await open(reference)).digest).toBe(digest)
})
