import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { addEmail } from '#features/accounts/emails/add-email.ts'
import { confirmEmail } from '#features/accounts/emails/confirm-email.ts'
import { listEmails } from '#features/accounts/emails/list-emails.ts'
import { removeEmail } from '#features/accounts/emails/remove-email.ts'
import { updateEmailSettings } from '#features/accounts/emails/update-email-settings.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { sentMails, mailedToken } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

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
  await world.call(confirmEmail, anonymous, {
    token: await mailedToken(world, 'ada@second.example'),
  })
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
  const told = (await sentMails(world)).filter(
    ({ to, subject }) => to === 'ada@example.com' && subject.includes('primary address'),
  )
  expect(told).toHaveLength(1)
  expect(auditedActions(world, ada.id)).toEqual([
    'user.email_added',
    'user.email_confirmed',
    'user.email_settings_changed',
  ])
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
  expect(auditedActions(world, carl.id)).toEqual([])
}, 120_000)

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

test('an address of another account is accepted, cannot be confirmed, and its owner gets a mail', async () => {
  const fay = await withPassword(world, 'fay')
  const gus = await withPassword(world, 'gus')
  expect(
    (await world.call(addEmail, gus, { email: 'fay@example.com', password: PASSWORD })).verified,
  ).toBe(false)
  const mail = (await sentMails(world)).filter(({ to }) => to === 'fay@example.com')
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
}, 120_000)
