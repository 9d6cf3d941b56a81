import { expect, test } from 'bun:test'
import { createAccountLink } from '#features/accounts/administration/create-account-link.ts'
import { confirmEmail } from '#features/accounts/emails/confirm-email.ts'
import { resetPassword } from '#features/accounts/passwords/reset-password.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { anonymous } from '#core/caller.ts'
import { auditedActions } from '../audited.ts'

const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? ''

test('an administrator hands on the links that no mail carries', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const eve = await world.user('eve')
  const reset = await world.call(createAccountLink, root, { username: 'eve', kind: 'reset' })
  expect(reset).toMatchObject({ username: 'eve', expires_at: expect.any(String) })
  const password = 'a new long password'
  await world.call(resetPassword, anonymous, { token: tokenOf(reset.url), password })
  expect((await world.call(signIn, anonymous, { login: 'eve', password })).user.id).toBe(eve.id)
  // It works once.
  expect(
    await refusal(world.call(resetPassword, anonymous, { token: tokenOf(reset.url), password })),
  ).toMatchObject({ status: 422 })
  expect(
    await refusal(world.call(createAccountLink, root, { username: 'eve', kind: 'confirm' })),
  ).toMatchObject({ status: 409, reason: 'not_open' })
  expect(auditedActions(world, eve.id)).toContain('user.link_created')
})

test('nobody else creates them, and nobody at all where the site sends mail', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const eve = await world.user('eve')
  const input = { username: 'root', kind: 'reset' as const }
  expect(await refusal(world.call(createAccountLink, eve, input))).toMatchObject({ status: 403 })
  expect(await refusal(world.call(createAccountLink, anonymous, input))).toMatchObject({
    status: 401,
  })
  expect(
    await refusal(world.call(createAccountLink, root, { username: 'nobody', kind: 'reset' })),
  ).toMatchObject({ status: 404 })
  const mailing = await makeWorld({ mail: { url: 'smtp://127.0.0.1:1', from: 'a@example.com' } })
  const admin = await mailing.user('root', { site_admin: true })
  await mailing.user('eve')
  expect(
    await refusal(mailing.call(createAccountLink, admin, { username: 'eve', kind: 'reset' })),
  ).toMatchObject({ status: 409, reason: 'not_available' })
})

test('a confirmation link confirms the address', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  await world.user('newcomer', { verified: false })
  const { url } = await world.call(createAccountLink, root, {
    username: 'newcomer',
    kind: 'confirm',
  })
  expect(await world.call(confirmEmail, anonymous, { token: tokenOf(url) })).toMatchObject({
    username: 'newcomer',
  })
})
