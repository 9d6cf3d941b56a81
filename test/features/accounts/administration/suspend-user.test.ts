import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { call } from '#core/operation.ts'
import { issueToken } from '#features/accounts/index.ts'
import { resetPassword } from '#features/accounts/passwords/reset-password.ts'
import { forgotPassword } from '#features/accounts/passwords/forgot-password.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { suspendUser } from '#features/accounts/administration/suspend-user.ts'
import { unsuspendUser } from '#features/accounts/administration/unsuspend-user.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { mailedToken } from '../mailbox.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

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
  const link = await mailedToken(world, 'ada@example.com')

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
  // The suspension deleted the sign-in.
  expect(world.hearth.callers.bySignIn(cookie ?? '')).toBeNull()
  expect((await refusal(world.call(unsuspendUser, root, { username: 'ada' }))).reason).toBe(
    'not_open',
  )
  expect(auditedActions(world, ada.id)).toEqual(['user.suspended', 'user.unsuspended'])
}, 120_000)

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
