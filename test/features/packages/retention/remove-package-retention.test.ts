import { expect, test } from 'bun:test'
import { previewPackageRetention } from '#features/packages/retention/preview-package-retention.ts'
import { removePackageRetention } from '#features/packages/retention/remove-package-retention.ts'
import { setPackageRetention } from '#features/packages/retention/set-package-retention.ts'
import { makePackageWorld, npm } from '../fixture.ts'

test('without its rule nothing of a package goes', async () => {
  const { world, ada, publish } = await makePackageWorld()
  for (const version of ['1.0.0', '2.0.0']) await publish('lib', version)
  const rule = { ...npm('lib'), keep_newest: 1, older_than_days: 0 }
  await world.call(setPackageRetention, ada, rule)
  const count = async () =>
    (await world.call(previewPackageRetention, ada, npm('lib'))).version_count
  expect(await count()).toBe(1)
  for (let time = 0; time < 2; time++) await world.call(removePackageRetention, ada, npm('lib'))
  expect(await count()).toBe(0)
})
