import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { finishSignIn } from '#features/accounts/sign-in/finish-sign-in.ts'
import { getPendingSignIn } from '#features/accounts/sign-in/get-pending-sign-in.ts'
import { getSecurity } from '#features/accounts/two-factor/get-security.ts'
import { getTwoFactorSetup } from '#features/accounts/two-factor/get-two-factor-setup.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { SECOND } from '#lib/time.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { sentMails } from '../mailbox.ts'
import { withPassword } from '../with-password.ts'
import { firstFactor, withAuthenticator, wrongCode } from '../two-factor/authenticator-fixture.ts'

const world = await makeWorld()

test('with an authenticator the password is not enough; a code completes the sign-in once', async () => {
  const ada = await withPassword(world, 'ada')
  const { code, recovery, setup } = await withAuthenticator(world, ada)
  expect(setup?.uri).toStartWith('otpauth://totp/hearth.test:ada?')
  expect(recovery).toHaveLength(10)
  expect((await world.call(whoami, ada, {})).two_factor_enabled).toBe(true)
  expect(await world.call(getTwoFactorSetup, ada, {})).toBeNull()

  const step = await firstFactor(world, 'ada')
  expect(step.second_factor).toEqual(['totp', 'recovery'])
  expect(world.hearth.callers.bySignIn(step.secret ?? '')).toBeNull()
  expect(await world.call(getPendingSignIn, anonymous, { pending: step.secret ?? '' })).toEqual({
    username: 'ada',
    second_factor: ['totp', 'recovery'],
    passkey: null,
  })

  const used = code()
  const done = await world.call(finishSignIn, anonymous, {
    pending: step.secret ?? '',
    code: `${used.slice(0, 3)} ${used.slice(3)}`,
  })
  expect(done.second_factor).toEqual([])
  // The pending sign-in and the sign-in have different secrets.
  expect(done.secret).not.toBe(step.secret)
  expect(world.hearth.callers.bySignIn(done.secret ?? '')).toMatchObject({ id: ada.id })
  expect(world.hearth.callers.bySignIn(step.secret ?? '')).toBeNull()
  // The pending sign-in and the code are used.
  expect(
    (await refusal(world.call(finishSignIn, anonymous, { pending: step.secret ?? '', code: used })))
      .field,
  ).toBe('pending')
  const again = await firstFactor(world, 'ada')
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, { pending: again.secret ?? '', code: used }),
      )
    ).field,
  ).toBe('code')
  expect(auditedActions(world, ada.id)).toEqual(['user.authenticator_added'])
}, 120_000)

test('a code is accepted up to 30 seconds early or late', async () => {
  const bob = await withPassword(world, 'bob')
  const { code } = await withAuthenticator(world, bob)
  const late = code()
  world.clock.advance(30 * SECOND)
  await world.call(finishSignIn, anonymous, {
    pending: (await firstFactor(world, 'bob')).secret ?? '',
    code: late,
  })
  const later = code()
  world.clock.advance(90 * SECOND)
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, {
          pending: (await firstFactor(world, 'bob')).secret ?? '',
          code: later,
        }),
      )
    ).field,
  ).toBe('code')
}, 120_000)

test('a recovery code works once, in any spelling, and the person is told', async () => {
  const carl = await withPassword(world, 'carl')
  const { recovery } = await withAuthenticator(world, carl)
  const [one = ''] = recovery
  const typed = one.replaceAll('-', ' ').toUpperCase()
  await world.call(finishSignIn, anonymous, {
    pending: (await firstFactor(world, 'carl')).secret ?? '',
    code: typed,
  })
  expect((await world.call(getSecurity, carl, {})).recovery_codes_left).toBe(9)
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, {
          pending: (await firstFactor(world, 'carl')).secret ?? '',
          code: one,
        }),
      )
    ).field,
  ).toBe('code')
  expect(
    (await sentMails(world)).some(
      ({ to, subject }) =>
        to === 'carl@example.com' && subject.startsWith('A recovery code was used'),
    ),
  ).toBe(true)
  // The database contains only hashes of them.
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM recovery_codes'))).not.toContain(
    recovery[1]?.replaceAll('-', '') ?? 'missing',
  )
}, 120_000)

test('after five wrong codes the user must enter the password again and gets a mail', async () => {
  const dora = await withPassword(world, 'dora')
  const { code } = await withAuthenticator(world, dora)
  const { secret } = await firstFactor(world, 'dora')
  const errors = []
  for (let n = 0; n < 5; n++)
    errors.push(
      (
        await refusal(
          world.call(finishSignIn, anonymous, { pending: secret ?? '', code: wrongCode(code()) }),
        )
      ).field,
    )
  expect(errors).toEqual(['code', 'code', 'code', 'code', 'pending'])
  expect(
    (await refusal(world.call(finishSignIn, anonymous, { pending: secret ?? '', code: code() })))
      .field,
  ).toBe('pending')
  expect(
    (await sentMails(world)).some(
      ({ to, subject }) =>
        to === 'dora@example.com' && subject.startsWith('Somebody had your password'),
    ),
  ).toBe(true)
}, 120_000)
