import { expect, test } from 'bun:test'
import { deletePackageVersion } from '#features/packages/delete-package-version.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a deleted version is gone for clients, and its number is not free', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await publish('lib', '1.1.0', { text: 'x' })
  const remove = (who: typeof ada, version: string) =>
    world.call(deletePackageVersion, who, { ...npm('lib'), version })
  expect((await refusal(remove(mel, '1.1.0'))).status).toBe(404)
  expect(await remove(ada, '1.1.0')).toMatchObject({ version: '1.1.0', freed_bytes: 1 })
  expect(await world.call(getPackage, ada, npm('lib'))).toMatchObject({
    latest: '1.0.0',
    version_count: 1,
    size_in_bytes: 'lib 1.0.0'.length,
  })
  expect(await refusal(publish('lib', '1.1.0', { text: 'x' }))).toMatchObject({
    reason: 'version_exists',
  })
})

test('the last version takes the package along', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(deletePackageVersion, ada, { ...npm('lib'), version: '1.0.0' })
  expect((await world.call(getPackage, ada, npm('lib'))).deleted_at).not.toBeNull()
  expect(world.events('package.deleted')).toMatchObject([{ data: { version: null } }])
})
