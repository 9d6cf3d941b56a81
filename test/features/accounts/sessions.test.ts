import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { CallOptions } from '#core/operation.ts'
import { endOtherSignIns } from '#features/accounts/end-other-sign-ins.ts'
import { endSignIn } from '#features/accounts/end-sign-in.ts'
import { listSignIns } from '#features/accounts/list-sign-ins.ts'
import { changeOwnPassword } from '#features/accounts/set-password.ts'
import { signIn } from '#features/accounts/sign-in.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal } from '../../world.ts'
import { audited } from './audited.ts'
import { letters } from './mailbox.ts'
import { PASSWORD, withPassword } from './with-password.ts'

const world = await makeWorld()
const from = (ip: string, user_agent: string): CallOptions => ({
  origin: { request_id: null, ip, user_agent },
})
const enter = async (login: string, options: CallOptions = {}) =>
  (await world.call(signIn, anonymous, { login, password: PASSWORD }, options)).secret ?? ''
const visitor = (secret: string) => {
  const caller = world.hearth.callers.bySignIn(secret)
  if (caller?.kind !== 'user') throw new Error('nobody is signed in')
  return caller
}

test('sessions are listed with where and how, and end one by one', async () => {
  const ada = await withPassword(world, 'ada')
  await withPassword(world, 'bob')
  const first = await enter('ada', from('192.0.2.1', 'Firefox/1'))
  world.clock.advance(MINUTE)
  const second = await enter('ada', from('192.0.2.2', 'Chrome/2'))
  const foreign = await enter('bob')
  const { items } = await world.call(listSignIns, visitor(first), {})
  expect(
    items.map(({ ip, user_agent, method, current }) => [ip, user_agent, method, current]),
  ).toEqual([
    ['192.0.2.2', 'Chrome/2', 'password', false],
    ['192.0.2.1', 'Firefox/1', 'password', true],
  ])
  const other = items.find((item) => !item.current)
  expect(
    (await refusal(world.call(endSignIn, visitor(foreign), { id: other?.id ?? '' }))).code,
  ).toBe('not_found')
  expect(world.hearth.callers.bySignIn(second)).not.toBeNull()
  await world.call(endSignIn, visitor(first), { id: other?.id ?? '' })
  expect(world.hearth.callers.bySignIn(second)).toBeNull()
  expect(world.hearth.callers.bySignIn(first)).not.toBeNull()
  expect(audited(world, ada.id)).toEqual(['user.sign_in_ended'])
})

test('all others end at once', async () => {
  await withPassword(world, 'carl')
  const [mine, one, two] = [await enter('carl'), await enter('carl'), await enter('carl')]
  expect(await world.call(endOtherSignIns, visitor(mine), {})).toEqual({ ended: 2 })
  expect([mine, one, two].map((secret) => world.hearth.callers.bySignIn(secret) !== null)).toEqual([
    true,
    false,
    false,
  ])
})

test('a new password takes the old one, signs out the others, and is told by mail', async () => {
  const dora = await withPassword(world, 'dora')
  const [mine, other] = [await enter('dora'), await enter('dora')]
  expect(
    (
      await refusal(
        world.call(changeOwnPassword, visitor(mine), {
          current: 'not it',
          password: 'a new password',
        }),
      )
    ).field,
  ).toBe('password')
  expect(
    (
      await refusal(
        world.call(changeOwnPassword, visitor(mine), { current: PASSWORD, password: 'short' }),
      )
    ).code,
  ).toBe('invalid')
  expect(world.hearth.callers.bySignIn(other)).not.toBeNull()
  expect(
    await world.call(changeOwnPassword, visitor(mine), {
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
    (await letters(world))
      .filter(({ to }) => to === 'dora@example.com')
      .map(({ subject }) => subject),
  ).toEqual(['Your password was changed on hearth.test'])
  expect(audited(world, dora.id)).toEqual(['user.password_changed'])
}, 30_000)
