import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import {
  attemptSource,
  KNOWN_BROWSER_LIFETIME_MS,
  knownBrowserToken,
} from '#features/accounts/sign-in/attempt-source.ts'
import { finishSignIn } from '#features/accounts/sign-in/finish-sign-in.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { signInWithDirectory } from '#features/sso/sign-in-with-directory.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { PASSWORD, withPassword } from '../with-password.ts'
import { originOf } from './sign-in-fixture.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await withPassword(world, 'ada')
const bob = await withPassword(world, 'bob')
const at = (ip: string | null) => ({ request_id: null, ip, user_agent: null })
const sourceOf = (user: { id: string } | null, ip: string | null, browser?: string) =>
  attemptSource(hearth, user?.id ?? null, at(ip), browser)

test('four waiting wrong passwords of a stranger do not keep the owner out', async () => {
  const { secret } = await world.call(
    signIn,
    anonymous,
    { login: 'ada', password: PASSWORD },
    originOf('203.0.113.5', 'home'),
  )
  expect(secret).not.toBeNull()
  const browser = knownBrowserToken(hearth, ada.id)
  const gone = new AbortController()
  const guess = () =>
    world
      .call(
        signIn,
        anonymous,
        { login: 'ada', password: 'a wrong password' },
        { ...originOf('198.51.100.66', 'guesser'), signal: gone.signal },
      )
      .catch((error: unknown) => error)
  // The clock of this world stands still, so every further attempt waits its whole delay.
  for (let i = 0; i < 5; i++) await guess()
  const waiting = [1, 2, 3, 4].map(guess)
  await Bun.sleep(0)
  expect(await refusal(Promise.reject(await guess()))).toMatchObject({ status: 429 })
  // With the cookie from anywhere, and without it from the network of a sign-in that lasts.
  for (const [ip, input] of [
    ['192.0.2.77', { browser }],
    ['203.0.113.5', {}],
  ] as const) {
    const { user } = await world.call(
      signIn,
      anonymous,
      { login: 'ada', password: PASSWORD, ...input },
      originOf(ip, 'owner'),
    )
    expect(user.username).toBe('ada')
  }
  gone.abort(new Error('gone'))
  await Promise.all(waiting)
})

test('a browser is known to its account only, for a year', () => {
  const token = knownBrowserToken(hearth, ada.id)
  const known = sourceOf(ada, '198.51.100.1', token)
  expect(known.isKnown).toBe(true)
  // The same browser has one queue wherever it is; another browser has its own.
  expect(sourceOf(ada, '198.51.100.2', token)).toEqual(known)
  expect(sourceOf(ada, '198.51.100.1', knownBrowserToken(hearth, ada.id)).id).not.toBe(known.id)
  expect(sourceOf(bob, '198.51.100.1', token).isKnown).toBe(false)
  expect(sourceOf(null, '198.51.100.1', token).isKnown).toBe(false)
  for (const forged of ['', 'x', `${token}x`, token.slice(1), 'a'.repeat(400)])
    expect(sourceOf(ada, '198.51.100.1', forged).isKnown).toBe(false)
  world.clock.advance(KNOWN_BROWSER_LIFETIME_MS + 1)
  expect(sourceOf(ada, '198.51.100.1', token).isKnown).toBe(false)
})

test('a network is known while a sign-in from it lasts, and only to its account', async () => {
  await world.call(
    signIn,
    anonymous,
    { login: 'bob', password: PASSWORD },
    originOf('2001:db8:1:2::5', 'home'),
  )
  expect(sourceOf(bob, '2001:db8:1:2::6').isKnown).toBe(true)
  expect(sourceOf(bob, '2001:db8:1:3::6').isKnown).toBe(false)
  expect(sourceOf(ada, '2001:db8:1:2::6').isKnown).toBe(false)
  expect(sourceOf(bob, null).isKnown).toBe(false)
  // Strangers of one provider's block are one source.
  expect(sourceOf(bob, '2001:db8:9:1::1')).toEqual(sourceOf(bob, '2001:db8:9:2::1'))
})

test('every way to sign in takes the browser', () => {
  for (const operation of [signIn, finishSignIn, signInWithDirectory])
    expect(Object.keys(operation.input.properties)).toContain('browser')
})
