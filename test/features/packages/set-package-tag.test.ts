import { expect, test } from 'bun:test'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { setPackageTag } from '#features/packages/set-package-tag.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a tag moves to the version that it is set to, once', async () => {
  const { world, ada, otto, rita, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('lib', '2.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  const set = (who: typeof ada) =>
    world.call(setPackageTag, who, { ...npm('lib'), tag: 'stable', version: '1.0.0' })
  await set(otto)
  await set(otto)
  expect(await refusal(set(rita))).toMatchObject({ reason: 'role' })
  const { version } = await world.call(getPackageVersion, rita, {
    ...npm('lib'),
    version: 'stable',
  })
  expect(version).toBe('1.0.0')
  expect(world.events('package.published').map(({ data }) => data.tags)).toEqual([
    ['latest'],
    ['latest'],
    ['stable'],
  ])
})
