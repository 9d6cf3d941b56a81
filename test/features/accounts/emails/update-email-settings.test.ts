import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addEmail } from '#features/accounts/emails/add-email.ts'
import { confirmEmail } from '#features/accounts/emails/confirm-email.ts'
import { forgotPassword } from '#features/accounts/passwords/forgot-password.ts'
import { resetPassword } from '#features/accounts/passwords/reset-password.ts'
import { updateEmailSettings } from '#features/accounts/emails/update-email-settings.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'
import { sentMails, mailedToken } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

const world = await makeWorld()

test('a password is reset through the primary or the backup address, and through no other', async () => {
  const bob = await withPassword(world, 'bob')
  for (const email of ['bob@two.example', 'bob@three.example']) {
    await world.call(addEmail, bob, { email, password: PASSWORD })
    await world.call(confirmEmail, anonymous, { token: await mailedToken(world, email) })
  }
  await world.call(updateEmailSettings, bob, { backup: 'bob@two.example', password: PASSWORD })
  const resets = async () =>
    (await sentMails(world)).filter(({ file }) => file.includes('-reset-')).map(({ to }) => to)
  await world.call(forgotPassword, anonymous, { email: 'bob@three.example' })
  expect(await resets()).toEqual([])
  await world.call(forgotPassword, anonymous, { email: 'bob@two.example' })
  expect(await resets()).toEqual(['bob@two.example'])
  await world.call(resetPassword, anonymous, {
    token: await mailedToken(world, 'bob@two.example'),
    password: 'another password',
  })
  expect(
    (await refusal(world.call(addEmail, bob, { email: 'x@example.com', password: PASSWORD })))
      .field,
  ).toBe('password')
})

test('primary and backup need the password, differ, and nothing at all is refused; it is for people with the scope', async () => {
  const jan = await withPassword(world, 'jan')
  expect(
    (
      await refusal(
        world.call(updateEmailSettings, jan, { primary: 'nobody@example.com', password: PASSWORD }),
      )
    ).field,
  ).toBe('primary')
  expect((await refusal(world.call(updateEmailSettings, jan, { backup: null }))).field).toBe(
    'password',
  )
  expect((await refusal(world.call(updateEmailSettings, jan, {}))).code).toBe('invalid')
  expect(
    (
      await refusal(
        world.call(updateEmailSettings, jan, { backup: 'jan@example.com', password: PASSWORD }),
      )
    ).field,
  ).toBe('backup')
  expect(
    (
      await refusal(
        world.call(updateEmailSettings, withToken(jan, { scopes: ['user:read'] }), {
          private_email: false,
        }),
      )
    ).reason,
  ).toBe('scope')
  world.clock.advance(MINUTE)
})
