import { expect, test } from 'bun:test'
import { getPackageRetention } from '#features/packages/retention/get-package-retention.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, npm } from '../fixture.ts'

test('a package has no rule at first, and only its admins may ask', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const get = (who: typeof ada) => world.call(getPackageRetention, who, npm('lib'))
  expect(await get(ada)).toEqual({ rule: null, inherited: null })
  expect((await refusal(get(mel))).status).toBe(404)
})
