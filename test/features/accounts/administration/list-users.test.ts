import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { UserState } from '#features/accounts/index.ts'
import { listUsers } from '#features/accounts/administration/list-users.ts'
import { suspendUser } from '#features/accounts/administration/suspend-user.ts'
import { agentOf, makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })

test('accounts are found by name, address and state', async () => {
  await world.user('amy')
  await world.user('bob')
  await world.user('new-one', { verified: false })
  await world.user('bad-one')
  await world.call(suspendUser, root, { username: 'bad-one' })
  const names = async (input: { q?: string; state?: UserState }) =>
    (await world.call(listUsers, root, input)).items.map(({ username }) => username)
  expect(await names({ q: 'bob' })).toEqual(['bob'])
  expect(await names({ q: 'BOB@example' })).toEqual(['bob'])
  expect(await names({ q: '%' })).toEqual([])
  expect(await names({ state: 'unconfirmed' })).toEqual(['new-one'])
  expect(await names({ state: 'suspended' })).toEqual(['bad-one'])
  const page = await world.call(listUsers, root, { per_page: 2 })
  expect([page.items.length, page.next]).toEqual([2, '2'])
  expect(page.total).toBeGreaterThan(4)
})

test('it is for administrators in person', async () => {
  const carl = await world.user('carl')
  const ops = await world.user('ops')
  await world.workspace('ops', { owner: ops })
  const site = await world.repo('ops/site', { as: ops })
  for (const caller of [carl, agentOf(root, site, { id: 'agt_x' })]) {
    expect((await refusal(world.call(listUsers, caller as never, {}))).status).toBe(403)
    expect(
      (await refusal(world.call(suspendUser, caller as never, { username: 'bob' }))).status,
    ).toBe(403)
  }
  expect((await refusal(world.call(listUsers, anonymous as never, {}))).status).toBe(401)
  expect((await refusal(world.call(suspendUser, root, { username: 'nobody' }))).code).toBe(
    'not_found',
  )
})
