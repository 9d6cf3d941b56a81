import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { markPackageVersion } from '#features/packages/mark-package-version.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a version is yanked and deprecated by writers, and both can be undone', async () => {
  const { world, ada, otto, rita, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  const at = { ...npm('lib'), version: '1.0.0' }
  await world.call(markPackageVersion, otto, { ...at, yanked: true, deprecated: 'use 2' })
  expect(await world.call(getPackageVersion, rita, at)).toMatchObject({
    yanked: true,
    deprecated: 'use 2',
  })
  await world.call(markPackageVersion, otto, { ...at, yanked: false })
  await world.call(markPackageVersion, otto, { ...at, deprecated: null })
  expect(await world.call(getPackageVersion, rita, at)).toMatchObject({
    yanked: false,
    deprecated: null,
  })
  const refused = world.call(markPackageVersion, rita, { ...at, yanked: true })
  expect(await refusal(refused)).toMatchObject({ reason: 'role' })
})

test('a yanked version is the latest only while all are yanked', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('lib', '1.1.0')
  const mark = (version: string, yanked: boolean) =>
    world.call(markPackageVersion, ada, { ...npm('lib'), version, yanked })
  const latest = async () => (await world.call(getPackage, ada, npm('lib'))).latest
  await mark('1.1.0', true)
  expect(await latest()).toBe('1.0.0')
  await mark('1.0.0', true)
  expect(await latest()).toBe('1.1.0')
  await publish('lib', '0.9.0')
  expect(await latest()).toBe('0.9.0')
  await mark('1.0.0', false)
  expect(await latest()).toBe('1.0.0')
})
