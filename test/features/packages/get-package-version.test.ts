import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a version is found by number and tag, with files, digests and metadata', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('@acme/lib', '1.0.0', { text: 'hello', metadata: { keywords: ['a'] } })
  const version = await world.call(getPackageVersion, ada, {
    ...npm('@acme/lib'),
    version: 'latest',
  })
  const digest = (name: string) => createHash(name).update('hello').digest('hex')
  expect(version).toMatchObject({
    version: '1.0.0',
    package: { name: '@acme/lib', package_type: 'npm' },
    tags: ['latest'],
    metadata: { name: '@acme/lib', keywords: ['a'] },
    published_by: { username: 'ada' },
    published_from: null,
    files: [
      {
        name: 'lib-1.0.0.tgz',
        sha256: digest('sha256'),
        sha512: digest('sha512'),
        sha1: digest('sha1'),
      },
    ],
  })
  expect(version.files[0]?.download_url).toEndWith('/packages/acme/npm/@acme/lib/-/lib-1.0.0.tgz')
  const missing = world.call(getPackageVersion, ada, { ...npm('@acme/lib'), version: '9.9.9' })
  expect((await refusal(missing)).status).toBe(404)
})
