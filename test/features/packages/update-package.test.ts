import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('an admin changes description and visibility, and the audit log has both', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const changed = await world.call(updatePackage, ada, {
    ...npm('lib'),
    description: ' A library. ',
    visibility: 'public',
  })
  expect(changed).toMatchObject({ description: 'A library.', visibility: 'public' })
  expect((await world.call(getPackage, anonymous, npm('lib'))).permissions).toEqual({
    read: true,
    write: false,
    admin: false,
  })
  expect(
    await refusal(world.call(updatePackage, mel, { ...npm('lib'), description: 'x' })),
  ).toMatchObject({ status: 403, reason: 'role' })
  const entries = world.hearth.db.all<{ data: string }>(
    `SELECT data FROM audit_log WHERE action = 'package.changed'`,
  )
  expect(entries.map(({ data }) => JSON.parse(data))).toMatchObject([
    { before: { private: 1, description: null }, after: { private: 0, description: 'A library.' } },
  ])
})

test('the visibility of a linked package is that of its repository', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  const set = world.call(updatePackage, ada, { ...npm('lib'), visibility: 'public' })
  expect(await refusal(set)).toMatchObject({ status: 409, reason: 'conflict' })
  expect((await world.call(getPackage, ada, npm('lib'))).visibility).toBe('private')
})
