import { expect, test } from 'bun:test'
import { downloadCounts } from '#features/packages/download-counts.ts'
import { openPackageFile } from '#features/packages/open-package-file.ts'
import { readPackageDetails } from '#features/packages/read-package-details.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'
import { image, makeImageWorld } from './image-fixture.ts'

test('downloads are told by day, to those who may see the package', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const file = { ...npm('lib'), path: 'lib-1.0.0.tgz', counts: true }
  await world.call(openPackageFile, ada, file)
  await downloadCounts(world.hearth).flush()
  expect(await world.call(readPackageDetails, ada, npm('lib'))).toEqual({
    readme: null,
    downloads: [{ day: new Date(world.clock.at).toISOString().slice(0, 10), count: 1 }],
    dependents: [],
    image: null,
  })
  expect((await refusal(world.call(readPackageDetails, mel, npm('lib')))).status).toBe(404)
})

test('packages that depend on it are named to those who may see them', async () => {
  const { world, ada, zoe, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('app', '2.0.0', { metadata: { dependencies: { lib: '^1.0.0' } } })
  await publish('old', '1.0.0', { metadata: { dependencies: { lib: '^1.0.0' } } })
  await publish('old', '1.1.0', { metadata: { dependencies: { library: '^1.0.0' } } })
  const dependents = async (who: typeof ada) =>
    (await world.call(readPackageDetails, who, npm('lib'))).dependents
  expect(await dependents(ada)).toEqual([{ name: 'app', version: '2.0.0' }])
  await world.call(updatePackage, ada, { ...npm('lib'), visibility: 'public' })
  expect(await dependents(zoe)).toEqual([])
})

test('an index has its platforms, and what is attached to it its kind', async () => {
  const { world, ada, link, put } = await makeImageWorld()
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const digest = await link('layer')
  const child = await put({ layers: [{ mediaType: 'x', digest, size: 5 }] }, [])
  const platform = { os: 'linux', architecture: 'arm64', variant: 'v8' }
  const index = await put({ manifests: [{ mediaType, digest: child, size: 9, platform }] }, ['v1'])
  const subject = { mediaType, digest: index, size: 9 }
  for (const artifactType of [
    'application/vnd.dev.cosign.artifact.sig.v1+json',
    'application/spdx+json',
    'application/vnd.in-toto+json',
    'application/vnd.acme.notes',
  ])
    await put({ subject, artifactType, layers: [] }, [])
  const details = await world.call(readPackageDetails, ada, { ...image, version: 'v1' })
  expect(details.image?.platforms).toEqual([
    { digest: child, name: 'linux/arm64/v8', size_in_bytes: expect.any(Number) },
  ])
  expect(details.image?.referrers.map(({ kind }) => kind).toSorted()).toEqual([
    'other',
    'provenance',
    'sbom',
    'signature',
  ])
})

test('of large metadata only a mebibyte is read, the packages that changed last first', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const large = { dependencies: { lib: '^1.0.0' }, description: 'x'.repeat(60_000) }
  for (let at = 0; at < 20; at++) {
    world.clock.advance(1000)
    await publish(`app-${at}`, '1.0.0', { metadata: large })
    // What does not name it costs nothing.
    await publish(`other-${at}`, '1.0.0', { metadata: { description: 'y'.repeat(60_000) } })
  }
  const { dependents } = await world.call(readPackageDetails, ada, npm('lib'))
  expect(dependents).toHaveLength(17)
  expect(dependents.map(({ name }) => name)).toContain('app-19')
  expect(dependents.map(({ name }) => name)).not.toContain('app-0')
})
