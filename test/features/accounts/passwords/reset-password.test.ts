import { nowhere } from '#core/audit.ts'
import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { HOUR } from '#lib/time.ts'
import { forgotPassword } from '#features/accounts/passwords/forgot-password.ts'
import { createMailedLinkFor, userCaller } from '#features/accounts/index.ts'
import { resetPassword } from '#features/accounts/passwords/reset-password.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { createSignIn } from '#features/accounts/sign-in/sign-ins.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { mailedToken } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

const FRESH = 'a wholly new password'
const tokenOf = (link: string): string => new URL(link).searchParams.get('token') ?? ''

test('sets the password, signs out everywhere, and the link is used up', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const browser = await world.write((tx) =>
    createSignIn(tx, ada, { method: 'password', origin: nowhere }),
  )
  await world.call(forgotPassword, anonymous, { email: 'ada@example.com' })
  const token = await mailedToken(world, 'ada@example.com')
  const other = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada'))

  expect(await world.call(resetPassword, anonymous, { token, password: FRESH })).toEqual({
    username: 'ada',
  })
  expect(world.hearth.callers.bySignIn(browser.secret ?? '')).toBeNull()
  expect(
    (await refusal(world.call(signIn, anonymous, { login: 'ada', password: PASSWORD }))).code,
  ).toBe('invalid')
  await world.call(signIn, anonymous, { login: 'ada', password: FRESH })
  for (const used of [token, other]) {
    expect(
      (await refusal(world.call(resetPassword, anonymous, { token: used, password: FRESH }))).field,
    ).toBe('token')
  }
})

test('a link expires after one hour', async () => {
  const world = await makeWorld()
  await withPassword(world, 'ada')
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada'))
  world.clock.advance(HOUR)
  expect(
    (await refusal(world.call(resetPassword, anonymous, { token, password: FRESH }))).field,
  ).toBe('token')
  await world.call(signIn, anonymous, { login: 'ada', password: PASSWORD })
})

test('weak passwords are refused in words and leave the link usable', async () => {
  const world = await makeWorld()
  await withPassword(world, 'ada-lovelace')
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada-lovelace'))
  for (const password of [
    '',
    'short',
    '123456789',
    'ADA-lovelace',
    'ada-lovelace@example.com',
    'x'.repeat(1001),
    'ä'.repeat(501),
  ]) {
    const error = await refusal(world.call(resetPassword, anonymous, { token, password }))
    expect([error.code, error.field]).toEqual(['invalid', 'password'])
  }
  await world.call(resetPassword, anonymous, { token, password: 'x'.repeat(1000) })
})

test('the reset link confirms the address unless another account has confirmed it', async () => {
  const world = await makeWorld()
  const bob = await withPassword(world, 'bob', { verified: false })
  await world.call(resetPassword, anonymous, {
    token: tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'bob')),
    password: FRESH,
  })
  expect(userCaller(world.hearth.db, bob.id)?.verified).toBe(true)

  const cat = await withPassword(world, 'cat', { verified: false, email: 'bob@example.com' })
  await world.call(resetPassword, anonymous, {
    token: tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'cat')),
    password: FRESH,
  })
  expect(userCaller(world.hearth.db, cat.id)?.verified).toBe(false)
})

test('one of two concurrent uses of a link succeeds', async () => {
  const world = await makeWorld()
  await withPassword(world, 'ada')
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'ada'))
  const results = await Promise.allSettled(
    [FRESH, `${FRESH} too`].map((password) =>
      world.call(resetPassword, anonymous, { token, password }),
    ),
  )
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
