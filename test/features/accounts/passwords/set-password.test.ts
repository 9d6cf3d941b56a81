import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { setPassword } from '#features/accounts/passwords/set-password.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { sentMails } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'
import { callerOf, signInFrom } from '../sign-in/sign-in-fixture.ts'

const world = await makeWorld()

test('a new password takes the old one, signs out the others, and is told by mail', async () => {
  const dora = await withPassword(world, 'dora')
  const [mine, other] = [await signInFrom(world, 'dora'), await signInFrom(world, 'dora')]
  expect(
    (
      await refusal(
        world.call(setPassword, callerOf(world, mine), {
          current: 'not it',
          password: 'a new password',
        }),
      )
    ).field,
  ).toBe('password')
  expect(
    (
      await refusal(
        world.call(setPassword, callerOf(world, mine), { current: PASSWORD, password: 'short' }),
      )
    ).code,
  ).toBe('invalid')
  expect(world.hearth.callers.bySignIn(other)).not.toBeNull()
  expect(
    await world.call(setPassword, callerOf(world, mine), {
      current: PASSWORD,
      password: 'a new password',
    }),
  ).toEqual({ ended: 1 })
  expect([mine, other].map((secret) => world.hearth.callers.bySignIn(secret) !== null)).toEqual([
    true,
    false,
  ])
  expect(
    (await refusal(world.call(signIn, anonymous, { login: 'dora', password: PASSWORD }))).code,
  ).toBe('invalid')
  await world.call(signIn, anonymous, { login: 'dora', password: 'a new password' })
  expect(
    (await sentMails(world))
      .filter(({ to }) => to === 'dora@example.com')
      .map(({ subject }) => subject),
  ).toEqual(['Your password was changed on hearth.test'])
  expect(auditedActions(world, dora.id)).toEqual(['user.password_changed'])
}, 120_000)
