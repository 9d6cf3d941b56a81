import { expect, test } from 'bun:test'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { purgePackages } from '#features/packages/purge-packages.ts'
import { DAY } from '#lib/time.ts'
import { image, makeImageWorld } from './image-fixture.ts'

test('a purged index takes platforms and signatures along that nothing else needs', async () => {
  const { world, ada, link, put, push } = await makeImageWorld()
  const layers = async (text: string) => ({
    layers: [{ mediaType: 'x', digest: await link(text), size: text.length }],
  })
  const own = await put(await layers('own'), [])
  const shared = await put(await layers('shared'), [])
  const manifests = (digests: string[]) => ({
    manifests: digests.map((digest) => ({ mediaType: 'x', digest, size: 1 })),
  })
  const index = await put(manifests([own, shared]), ['v1'])
  const other = await put(manifests([shared]), ['v2'])
  const subject = { mediaType: 'x', digest: index, size: 1 }
  await put({ ...(await layers('signature')), subject }, [])
  const plain = await push('plain', ['v3'])
  await world.call(deletePackageVersion, ada, { ...image, version: 'v1' })
  world.clock.advance(31 * DAY)
  await purgePackages.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'job' },
    null,
  )
  const left = world.hearth.db.all<{ digest: string }>('SELECT digest FROM image_manifests')
  expect(left.map(({ digest }) => digest).sort()).toEqual([shared, other, plain].sort())
  expect(world.hearth.db.all('SELECT digest FROM image_blobs')).toHaveLength(2)
})
