import { expect, test } from 'bun:test'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { markPackageVersion } from '#features/packages/mark-package-version.ts'
import { setPackageTag } from '#features/packages/set-package-tag.ts'
import { collectPlans } from '../../queries.ts'
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

test('a tag, and a yank or deletion of an old version, read no list of versions', async () => {
  const { world, ada, publish } = await makePackageWorld()
  for (const version of ['1.0.0', '1.1.0', '2.0.0', '1.2.0']) await publish('lib', version)
  const lib = { ...npm('lib'), version: '1.0.0' }
  const plans = await collectPlans(world.hearth, async () => {
    await world.call(setPackageTag, ada, { ...lib, tag: 'old' })
    await world.call(markPackageVersion, ada, { ...lib, yanked: true })
    await world.call(deletePackageVersion, ada, lib)
  })
  const texts = [...plans.keys()].filter((sql) => /FROM package_versions|DISTINCT/.test(sql))
  expect(texts.filter((sql) => /ORDER BY created_at|count\(/.test(sql))).toEqual([])
  expect(await world.call(getPackage, ada, npm('lib'))).toMatchObject({
    latest: '2.0.0',
    version_count: 3,
  })
  // The latest one makes another the latest.
  await world.call(markPackageVersion, ada, { ...npm('lib'), version: '2.0.0', yanked: true })
  expect((await world.call(getPackage, ada, npm('lib'))).latest).toBe('1.2.0')
  await world.call(deletePackageVersion, ada, { ...npm('lib'), version: '1.2.0' })
  expect((await world.call(getPackage, ada, npm('lib'))).latest).toBe('1.1.0')
  await world.call(markPackageVersion, ada, { ...npm('lib'), version: '2.0.0', yanked: false })
  expect((await world.call(getPackage, ada, npm('lib'))).latest).toBe('2.0.0')
})
