import { expect, test } from 'bun:test'
import { endOtherSignIns } from '#features/accounts/sign-in/end-other-sign-ins.ts'
import { makeWorld } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { callerOf, signInFrom } from './sign-in-fixture.ts'

const world = await makeWorld()

test('all others end at once', async () => {
  await withPassword(world, 'carl')
  const [mine, one, two] = [
    await signInFrom(world, 'carl'),
    await signInFrom(world, 'carl'),
    await signInFrom(world, 'carl'),
  ]
  expect(await world.call(endOtherSignIns, callerOf(world, mine), {})).toEqual({ ended: 2 })
  expect([mine, one, two].map((secret) => world.hearth.callers.bySignIn(secret) !== null)).toEqual([
    true,
    false,
    false,
  ])
})
