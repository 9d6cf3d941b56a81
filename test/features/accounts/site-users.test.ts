import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { call } from '#core/operation.ts'
import { issueToken, type UserState } from '#features/accounts/index.ts'
import { listUsers } from '#features/accounts/list-users.ts'
import { resetPassword } from '#features/accounts/reset-password.ts'
import { forgotPassword } from '#features/accounts/forgot-password.ts'
import { signIn } from '#features/accounts/sign-in.ts'
import { suspendUser } from '#features/accounts/suspend-user.ts'
import { unsuspendUser } from '#features/accounts/unsuspend-user.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { agentOf, makeWorld, refusal } from '../../world.ts'
import { audited } from './audited.ts'
import { tokenFor } from './mailbox.ts'
import { PASSWORD, withPassword } from './with-password.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })

const token = async (id: string) =>
  (
    await world.write((tx) =>
      issueToken(tx, {
        actor_id: id,
        kind: 'user',
        name: 't',
        source: 'settings',
        scopes: null,
        repos: null,
        workspace_id: null,
        role: null,
        expires_at: null,
      }),
    )
  ).secret

test('suspension ends sign-ins at once and refuses tokens until it is lifted', async () => {
  const ada = await withPassword(world, 'ada')
  const secret = await token(ada.id)
  const { secret: cookie } = await world.call(signIn, anonymous, {
    login: 'ada',
    password: PASSWORD,
  })
  await world.call(forgotPassword, anonymous, { email: 'ada@example.com' })
  const link = await tokenFor(world, 'ada@example.com')

  const suspended = await world.call(suspendUser, root, {
    username: 'ADA',
    reason: ' left the company ',
  })
  expect(suspended).toMatchObject({
    username: 'ada',
    state: 'suspended',
    suspended_reason: 'left the company',
  })
  expect(world.hearth.callers.bySignIn(cookie ?? '')).toBeNull()
  const caller = world.hearth.callers.byToken(secret)
  if (!caller) throw new Error('the token is gone')
  expect([
    (await refusal(call(world.hearth, whoami, caller as never, {}))).status,
    (await refusal(call(world.hearth, whoami, caller as never, {}))).reason,
  ]).toEqual([403, 'suspended'])
  expect(
    (await refusal(world.call(signIn, anonymous, { login: 'ada', password: PASSWORD }))).reason,
  ).toBe('suspended')
  expect(
    (
      await refusal(
        world.call(resetPassword, anonymous, { token: link, password: 'something new' }),
      )
    ).field,
  ).toBe('token')
  expect((await refusal(world.call(suspendUser, root, { username: 'ada' }))).reason).toBe(
    'already_closed',
  )

  expect(await world.call(unsuspendUser, root, { username: 'ada' })).toMatchObject({
    state: 'active',
    suspended_at: null,
    suspended_reason: null,
  })
  expect(
    (await world.call(whoami, world.hearth.callers.byToken(secret) as never, {})).username,
  ).toBe('ada')
  // The browser stays signed out.
  expect(world.hearth.callers.bySignIn(cookie ?? '')).toBeNull()
  expect((await refusal(world.call(unsuspendUser, root, { username: 'ada' }))).reason).toBe(
    'not_open',
  )
  expect(audited(world, ada.id)).toEqual(['user.suspended', 'user.unsuspended'])
}, 30_000)

test('the last administrator stays, and nobody suspends themselves', async () => {
  expect((await refusal(world.call(suspendUser, root, { username: 'root' }))).reason).toBe(
    'not_available',
  )
  const second = await world.user('second', { site_admin: true })
  await world.call(suspendUser, root, { username: 'second' })
  expect((await refusal(world.call(suspendUser, { ...second }, { username: 'root' }))).reason).toBe(
    'not_available',
  )
  await world.call(unsuspendUser, root, { username: 'second' })
  expect((await world.call(suspendUser, second, { username: 'root' })).state).toBe('suspended')
  await world.call(unsuspendUser, second, { username: 'root' })
})

test('accounts are found by name, address and state', async () => {
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
