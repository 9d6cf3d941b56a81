import { expect, test } from 'bun:test'
import { getEmailSettings } from '#features/accounts/emails/get-email-settings.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { updateEmailSettings } from '#features/accounts/emails/update-email-settings.ts'
import { makeWorld } from '../../../world.ts'
import { withPassword } from '../with-password.ts'

const world = await makeWorld()

test('the private address is on commits made here until the person shows their own', async () => {
  const ivy = await withPassword(world, 'ivy')
  const { private_address } = await world.call(getEmailSettings, ivy, {})
  expect(private_address).toBe(`${ivy.id.slice(4)}+ivy@users.noreply.hearth.test`)
  expect(commitIdentity(world.hearth, ivy).email).toBe(private_address)
  await world.call(updateEmailSettings, ivy, { private_email: false })
  expect(commitIdentity(world.hearth, ivy).email).toBe('ivy@example.com')
})
