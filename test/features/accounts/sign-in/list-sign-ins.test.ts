import { expect, test } from 'bun:test'
import { listSignIns } from '#features/accounts/sign-in/list-sign-ins.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { callerOf, originOf, signInFrom } from './sign-in-fixture.ts'

const world = await makeWorld()

test('sign-ins are listed with address, browser and method, last used first', async () => {
  await withPassword(world, 'lia')
  const first = await signInFrom(world, 'lia', originOf('192.0.2.1', 'Firefox/1'))
  world.clock.advance(MINUTE)
  await signInFrom(world, 'lia', originOf('192.0.2.2', 'Chrome/2'))
  const { items } = await world.call(listSignIns, callerOf(world, first), {})
  expect(
    items.map(({ ip, user_agent, method, current }) => [ip, user_agent, method, current]),
  ).toEqual([
    ['192.0.2.2', 'Chrome/2', 'password', false],
    ['192.0.2.1', 'Firefox/1', 'password', true],
  ])
})
