import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { finishSignIn } from '#features/accounts/sign-in/finish-sign-in.ts'
import { getPendingSignIn } from '#features/accounts/sign-in/get-pending-sign-in.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { PASSWORD, withPassword } from '../with-password.ts'
import { startChallenge, withPasskey } from './passkey-fixture.ts'

const world = await makeWorld()

test('a passkey is a second factor of its own user only', async () => {
  const bob = await withPassword(world, 'bob')
  const eve = await withPassword(world, 'eve')
  const [mine, foreign] = [await withPasskey(world, bob), await withPasskey(world, eve)]
  const { secret, second_factor } = await world.call(signIn, anonymous, {
    login: 'bob',
    password: PASSWORD,
  })
  expect(second_factor).toEqual(['passkey', 'recovery'])
  const { passkey } = await world.call(getPendingSignIn, anonymous, { pending: secret ?? '' })
  const state = passkey?.state ?? ''
  const finish = (response: string, at = state) =>
    world.call(finishSignIn, anonymous, { pending: secret ?? '', passkey: { state: at, response } })
  expect((await refusal(finish(foreign.key.show(passkey?.options ?? '')))).field).toBe('passkey')
  // A challenge of the sign-in page is not valid for this step.
  const other = await startChallenge(world)
  expect((await refusal(finish(mine.key.show(other.options), other.state))).field).toBe('passkey')
  // A second factor needs no user verification.
  const done = await finish(mine.key.show(passkey?.options ?? '', { verified: false }))
  expect(world.hearth.callers.bySignIn(done.secret ?? '')).toMatchObject({ id: bob.id })
})
