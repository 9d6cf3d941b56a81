import { expect, test } from 'bun:test'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { removePackageTag } from '#features/packages/remove-package-tag.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a removed tag names nothing, and the version stays', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0', { tags: ['next'] })
  await world.call(removePackageTag, ada, { ...npm('lib'), tag: 'next' })
  const named = (version: string) => world.call(getPackageVersion, ada, { ...npm('lib'), version })
  expect((await refusal(named('next'))).status).toBe(404)
  expect((await named('1.0.0')).tags).toEqual([])
  const again = world.call(removePackageTag, ada, { ...npm('lib'), tag: 'next' })
  expect((await refusal(again)).status).toBe(404)
})
