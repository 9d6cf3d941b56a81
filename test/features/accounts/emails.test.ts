import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addEmail } from '#features/accounts/add-email.ts'
import { confirmEmail } from '#features/accounts/confirm-email.ts'
import { forgotPassword } from '#features/accounts/forgot-password.ts'
import { getEmailSettings } from '#features/accounts/get-email-settings.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { listEmails } from '#features/accounts/list-emails.ts'
import { removeEmail } from '#features/accounts/remove-email.ts'
import { resetPassword } from '#features/accounts/reset-password.ts'
import { updateEmailSettings } from '#features/accounts/update-email-settings.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'
import { audited } from './audited.ts'
import { letters, tokenFor } from './mailbox.ts'
import { PASSWORD, withPassword } from './with-password.ts'

const world = await makeWorld()

test('an address is added with the password, confirmed by its link, and made primary; the old primary is told', async () => {
  const ada = await withPassword(world, 'ada')
  const added = await world.call(addEmail, ada, {
    email: ' Ada@Second.Example ',
    password: PASSWORD,
  })
  expect(added).toMatchObject({
    email: 'ada@second.example',
    primary: false,
    verified: false,
    verified_at: null,
  })
  expect(
    (
      await refusal(
        world.call(updateEmailSettings, ada, { primary: 'ada@second.example', password: PASSWORD }),
      )
    ).reason,
  ).toBe('not_available')
  await world.call(confirmEmail, anonymous, { token: await tokenFor(world, 'ada@second.example') })
  const settings = await world.call(updateEmailSettings, ada, {
    primary: 'ada@second.example',
    backup: 'ada@example.com',
    password: PASSWORD,
  })
  expect(settings).toMatchObject({
    primary: 'ada@second.example',
    backup: 'ada@example.com',
    private_email: true,
  })
  expect(
    (await world.call(listEmails, ada, {})).items.map(({ email, primary, backup }) => [
      email,
      primary,
      backup,
    ]),
  ).toEqual([
    ['ada@second.example', true, false],
    ['ada@example.com', false, true],
  ])
  const told = (await letters(world)).filter(
    ({ to, subject }) => to === 'ada@example.com' && subject.includes('primary address'),
  )
  expect(told).toHaveLength(1)
  expect(audited(world, ada.id)).toEqual([
    'user.email_added',
    'user.email_confirmed',
    'user.email_settings_changed',
  ])
})

test('a password is reset through the primary or the backup address, and through no other', async () => {
  const bob = await withPassword(world, 'bob')
  for (const email of ['bob@two.example', 'bob@three.example']) {
    await world.call(addEmail, bob, { email, password: PASSWORD })
    await world.call(confirmEmail, anonymous, { token: await tokenFor(world, email) })
  }
  await world.call(updateEmailSettings, bob, { backup: 'bob@two.example', password: PASSWORD })
  const resets = async () =>
    (await letters(world)).filter(({ file }) => file.includes('-reset-')).map(({ to }) => to)
  await world.call(forgotPassword, anonymous, { email: 'bob@three.example' })
  expect(await resets()).toEqual([])
  await world.call(forgotPassword, anonymous, { email: 'bob@two.example' })
  expect(await resets()).toEqual(['bob@two.example'])
  await world.call(resetPassword, anonymous, {
    token: await tokenFor(world, 'bob@two.example'),
    password: 'another password',
  })
  expect(
    (await refusal(world.call(addEmail, bob, { email: 'x@example.com', password: PASSWORD })))
      .field,
  ).toBe('password')
})

test('a wrong password changes nothing and says so in the same way everywhere', async () => {
  const carl = await withPassword(world, 'carl')
  for (const attempt of [
    world.call(addEmail, carl, { email: 'carl@two.example', password: 'wrong' }),
    world.call(removeEmail, carl, { email: 'carl@example.com', password: 'wrong' }),
    world.call(updateEmailSettings, carl, { primary: 'carl@example.com', password: 'wrong' }),
  ]) {
    const { status, reason, field } = await refusal(attempt)
    expect([status, reason, field]).toEqual([403, 'role', 'password'])
  }
  expect((await world.call(listEmails, carl, {})).items).toHaveLength(1)
  expect(audited(world, carl.id)).toEqual([])
}, 30_000)

test('an account without a password is told where to go', async () => {
  const dora = await world.user('dora')
  expect(
    (await refusal(world.call(addEmail, dora, { email: 'd@example.com', password: '' }))).reason,
  ).toBe('not_available')
  // What needs no password works.
  expect(await world.call(updateEmailSettings, dora, { private_email: false })).toMatchObject({
    private_email: false,
  })
})

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
  const link = await tokenFor(world, 'eve@two.example')
  expect(
    await world.call(removeEmail, eve, { email: 'EVE@two.example', password: PASSWORD }),
  ).toBeNull()
  // The link that was on its way is dead with the address.
  expect((await refusal(world.call(confirmEmail, anonymous, { token: link }))).field).toBe('token')
  expect((await world.call(listEmails, eve, {})).items.map(({ email }) => email)).toEqual([
    'eve@example.com',
  ])
})

test("somebody else's address is taken without a word, never confirmed, and its owner is told", async () => {
  const fay = await withPassword(world, 'fay')
  const gus = await withPassword(world, 'gus')
  expect(
    (await world.call(addEmail, gus, { email: 'fay@example.com', password: PASSWORD })).verified,
  ).toBe(false)
  const mail = (await letters(world)).filter(({ to }) => to === 'fay@example.com')
  expect(mail.map(({ token }) => token)).toEqual([null])
  expect(
    (
      await refusal(
        world.call(updateEmailSettings, gus, { primary: 'fay@example.com', password: PASSWORD }),
      )
    ).reason,
  ).toBe('not_available')
  expect((await world.call(listEmails, fay, {})).items[0]?.verified).toBe(true)
})

test('an account has at most ten addresses, each once', async () => {
  const hal = await withPassword(world, 'hal')
  for (let n = 2; n <= 10; n++)
    await world.call(addEmail, hal, { email: `hal@${n}.example`, password: PASSWORD })
  expect(
    (await refusal(world.call(addEmail, hal, { email: 'hal@11.example', password: PASSWORD })))
      .reason,
  ).toBe('limit_reached')
  expect(
    (await refusal(world.call(addEmail, hal, { email: 'hal@2.example', password: PASSWORD })))
      .reason,
  ).toBe('already_exists')
}, 30_000)

test('the private address is on commits made here until the person shows their own', async () => {
  const ivy = await withPassword(world, 'ivy')
  const { private_address } = await world.call(getEmailSettings, ivy, {})
  expect(private_address).toBe(`${ivy.id.slice(4)}+ivy@users.noreply.hearth.test`)
  expect(commitIdentity(world.hearth, ivy).email).toBe(private_address)
  await world.call(updateEmailSettings, ivy, { private_email: false })
  expect(commitIdentity(world.hearth, ivy).email).toBe('ivy@example.com')
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
