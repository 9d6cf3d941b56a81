import { expect, test } from 'bun:test'
import { endSignIn } from '#features/accounts/sign-in/end-sign-in.ts'
import { listSignIns } from '#features/accounts/sign-in/list-sign-ins.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { withPassword } from '../with-password.ts'
import { callerOf, originOf, signInFrom } from './sign-in-fixture.ts'

const world = await makeWorld()

test('a sign-in of another browser ends by its id', async () => {
  const ada = await withPassword(world, 'ada')
  await withPassword(world, 'bob')
  const first = await signInFrom(world, 'ada', originOf('192.0.2.1', 'Firefox/1'))
  world.clock.advance(MINUTE)
  const second = await signInFrom(world, 'ada', originOf('192.0.2.2', 'Chrome/2'))
  const foreign = await signInFrom(world, 'bob')
  const { items } = await world.call(listSignIns, callerOf(world, first), {})
  expect(
    items.map(({ ip, user_agent, method, current }) => [ip, user_agent, method, current]),
  ).toEqual([
    ['192.0.2.2', 'Chrome/2', 'password', false],
    ['192.0.2.1', 'Firefox/1', 'password', true],
  ])
  const other = items.find((item) => !item.current)
  expect(
    (await refusal(world.call(endSignIn, callerOf(world, foreign), { id: other?.id ?? '' }))).code,
  ).toBe('not_found')
  expect(world.hearth.callers.bySignIn(second)).not.toBeNull()
  await world.call(endSignIn, callerOf(world, first), { id: other?.id ?? '' })
  expect(world.hearth.callers.bySignIn(second)).toBeNull()
  expect(world.hearth.callers.bySignIn(first)).not.toBeNull()
  expect(auditedActions(world, ada.id)).toEqual(['user.sign_in_ended'])
})
