import { expect, test } from 'bun:test'
import { removePackageAccess } from '#features/packages/access/remove-package-access.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, npm } from '../fixture.ts'

test('who has no role is no error, and one of both has to be named', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const remove = (holder: object) =>
    world.call(removePackageAccess, ada, { ...npm('lib'), ...holder })
  expect((await remove({ username: 'nobody' })).people).toMatchObject([{ username: 'ada' }])
  for (const holder of [{}, { username: 'mel', team: 'web' }])
    expect(await refusal(remove(holder))).toMatchObject({ status: 422, field: 'username' })
})
