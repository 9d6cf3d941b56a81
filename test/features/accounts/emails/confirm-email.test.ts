import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { HOUR } from '#lib/time.ts'
import { confirmEmail } from '#features/accounts/emails/confirm-email.ts'
import { createMailedLinkFor, userCaller } from '#features/accounts/index.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { resendEmailConfirmation } from '#features/accounts/emails/resend-email-confirmation.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { mailedToken } from '../mailbox.ts'
import { withPassword } from '../with-password.ts'

const tokenOf = (link: string): string => new URL(link).searchParams.get('token') ?? ''

test('the mailed link confirms once, and then the person may change things', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  expect((await refusal(world.call(createWorkspace, bob, { slug: 'b' }))).reason).toBe(
    'email_unconfirmed',
  )
  await world.call(resendEmailConfirmation, bob, { email: 'bob@example.com' })
  const token = await mailedToken(world, 'bob@example.com')
  expect(await world.call(confirmEmail, anonymous, { token })).toEqual({
    username: 'bob',
    email: 'bob@example.com',
  })
  const now = userCaller(world.hearth.db, bob.id)
  expect(now?.verified).toBe(true)
  await world.call(createWorkspace, now ?? bob, { slug: 'b' })
  const again = await refusal(world.call(confirmEmail, anonymous, { token }))
  expect([again.code, again.field]).toEqual(['invalid', 'token'])
})

test('a link expires after a day, and an unknown one is refused', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'confirm', 'bob'))
  world.clock.advance(24 * HOUR)
  expect((await refusal(world.call(confirmEmail, anonymous, { token }))).code).toBe('invalid')
  expect((await refusal(world.call(confirmEmail, anonymous, { token: 'x'.repeat(43) }))).code).toBe(
    'invalid',
  )
  expect(userCaller(world.hearth.db, bob.id)?.verified).toBe(false)
})

test('a password reset link does not confirm an address', async () => {
  const world = await makeWorld()
  await world.user('bob', { verified: false })
  const token = tokenOf(await createMailedLinkFor(world.hearth, 'reset', 'bob'))
  expect((await refusal(world.call(confirmEmail, anonymous, { token }))).code).toBe('invalid')
})

test('only the first of two accounts can confirm an address', async () => {
  const world = await makeWorld()
  const one = await withPassword(world, 'one', { verified: false, email: 'shared@example.com' })
  const two = await withPassword(world, 'two', { verified: false, email: 'shared@example.com' })
  const links = await Promise.all(
    ['one', 'two'].map(async (name) =>
      tokenOf(await createMailedLinkFor(world.hearth, 'confirm', name)),
    ),
  )
  await world.call(confirmEmail, anonymous, { token: links[0] ?? '' })
  const late = await refusal(world.call(confirmEmail, anonymous, { token: links[1] ?? '' }))
  expect([late.code, late.reason]).toEqual(['conflict', 'already_exists'])
  expect([one, two].map(({ id }) => userCaller(world.hearth.db, id)?.verified)).toEqual([
    true,
    false,
  ])
})

test('the command line makes the same link, for a name or an address that exists', async () => {
  const world = await makeWorld()
  await world.user('ada')
  await world.user('bob', { verified: false })
  expect(await createMailedLinkFor(world.hearth, 'confirm', 'BOB@example.com')).toMatch(
    /^https:\/\/hearth\.test\/confirm\?token=[\w-]{43}$/,
  )
  expect(await createMailedLinkFor(world.hearth, 'reset', 'ada')).toMatch(
    /^https:\/\/hearth\.test\/reset\?token=[\w-]{43}$/,
  )
  expect((await refusal(createMailedLinkFor(world.hearth, 'reset', 'nobody'))).code).toBe(
    'not_found',
  )
  expect((await refusal(createMailedLinkFor(world.hearth, 'confirm', 'ada'))).reason).toBe(
    'not_open',
  )
})
