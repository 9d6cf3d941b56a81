import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addEmail } from '#features/accounts/emails/add-email.ts'
import { confirmEmail } from '#features/accounts/emails/confirm-email.ts'
import { listEmails } from '#features/accounts/emails/list-emails.ts'
import { removeEmail } from '#features/accounts/emails/remove-email.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { mailedToken } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

const world = await makeWorld()

test('the primary and the last confirmed address stay', async () => {
  const eve = await withPassword(world, 'eve')
  await world.call(addEmail, eve, { email: 'eve@two.example', password: PASSWORD })
  expect(
    (await refusal(world.call(removeEmail, eve, { email: 'eve@example.com', password: PASSWORD })))
      .reason,
  ).toBe('not_available')
  expect(
    (await refusal(world.call(removeEmail, eve, { email: 'no@example.com', password: PASSWORD })))
      .code,
  ).toBe('not_found')
  const link = await mailedToken(world, 'eve@two.example')
  expect(
    await world.call(removeEmail, eve, { email: 'EVE@two.example', password: PASSWORD }),
  ).toBeNull()
  // Removing the address invalidates its link.
  expect((await refusal(world.call(confirmEmail, anonymous, { token: link }))).field).toBe('token')
  expect((await world.call(listEmails, eve, {})).items.map(({ email }) => email)).toEqual([
    'eve@example.com',
  ])
})
