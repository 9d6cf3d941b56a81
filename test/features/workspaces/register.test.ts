import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { DAY, timestamp } from '#lib/time.ts'
import {
  confirmEmail,
  createInvite,
  findSignUpCode,
  findUser,
  getUser,
  listInvites,
  permitSignUp,
  signIn,
  userCaller,
} from '#features/accounts/index.ts'
import { createWorkspace, getWorkspace, register } from '#features/workspaces/index.ts'
import { makeWorld, refusal } from '../../world.ts'
import { sentMails, mailedToken } from '../accounts/mailbox.ts'

const PASSWORD = 'correct horse battery'
const cy = { username: 'cy', email: 'cy@example.com', password: PASSWORD }

async function forge(sign_up: Settings['sign_up']) {
  const world = await makeWorld({ sign_up })
  const ada = await world.user('ada')
  const codeOf = (url: string | null) => new URL(url ?? '').searchParams.get('invite') ?? ''
  const invite = async (input: object = {}) =>
    codeOf((await world.call(createInvite, ada, input)).url)
  const enter = (input: object = {}) => world.call(register, anonymous, { ...cy, ...input })
  return {
    world,
    ada,
    invite,
    enter,
    people: () => world.hearth.db.all('SELECT 1 FROM users').length,
  }
}

test('open: the account begins unconfirmed, signs in and reads, and the mailed link confirms it', async () => {
  const { world, enter } = await forge('open')
  expect(await enter()).toBeNull()
  const { user } = await world.call(signIn, anonymous, { login: 'cy', password: PASSWORD })
  const before = userCaller(world.hearth.db, user.id)
  expect(before).toMatchObject({ verified: false, site_admin: false })
  expect(
    (await refusal(world.call(createWorkspace, before ?? anonymous, { slug: 'x' }))).reason,
  ).toBe('email_unconfirmed')
  await world.call(confirmEmail, anonymous, { token: await mailedToken(world, 'cy@example.com') })
  expect(userCaller(world.hearth.db, user.id)?.verified).toBe(true)
})

test('an address of another account gets the same response, and its owner gets a mail', async () => {
  const { world, enter } = await forge('open')
  expect(await enter({ email: 'ADA@example.com' })).toBeNull()
  expect((await world.call(getUser, anonymous, { username: 'cy' })).email).toBeNull()
  await world.call(signIn, anonymous, { login: 'cy', password: PASSWORD })
  const mail = await sentMails(world)
  expect(mail.map(({ to, token }) => [to, token])).toEqual([['ada@example.com', null]])
  expect(mail[0]?.text).toContain('belongs to your account ada')
  expect(findUser(world.hearth.db, 'cy')?.id).not.toBe(findUser(world.hearth.db, 'ada')?.id)
})

test('with sign_up = invite a valid invite is required', async () => {
  const { world, ada, invite, enter, people } = await forge('invite')
  expect((await refusal(enter())).field).toBe('invite')
  expect((await refusal(enter({ invite: '' }))).field).toBe('invite')
  expect((await refusal(enter({ invite: 'x'.repeat(43) }))).field).toBe('invite')
  const old = await invite()
  world.clock.advance(30 * DAY)
  expect((await refusal(enter({ invite: old }))).field).toBe('invite')
  expect(people()).toBe(1)

  const code = await invite()
  await enter({ invite: code })
  const [used] = (await world.call(listInvites, ada, {})).invites
  expect(used).toMatchObject({
    state: 'used',
    url: null,
    used_by: { username: 'cy' },
    used_at: used?.created_at,
  })
  expect(
    (await refusal(enter({ username: 'di', email: 'di@example.com', invite: code }))).field,
  ).toBe('invite')
  expect(people()).toBe(2)
})

test('an invite for an address takes no other, and for a workspace makes a member', async () => {
  const { world, ada, invite, enter } = await forge('invite')
  await world.workspace('acme', { owner: ada })
  const code = await invite({ email: 'cy@example.com', workspace: 'acme' })
  expect((await refusal(enter({ email: 'other@example.com', invite: code }))).field).toBe('email')
  expect(world.events('member.added')).toEqual([])
  await enter({ email: 'CY@example.com', invite: code })
  const member = userCaller(world.hearth.db, findUser(world.hearth.db, 'cy')?.id ?? '')
  expect((await world.call(getWorkspace, member ?? anonymous, { workspace: 'acme' })).role).toBe(
    'member',
  )
  expect(world.events('member.added')).toMatchObject([{ data: { username: 'cy', role: 'member' } }])
})

test('one of two concurrent uses of an invite succeeds', async () => {
  const { invite, enter, people } = await forge('invite')
  const code = await invite()
  const results = await Promise.allSettled([
    enter({ invite: code }),
    enter({ username: 'di', email: 'di@example.com', invite: code }),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(people()).toBe(2)
})

test('closed and sso_only refuse registration, with or without an invite', async () => {
  for (const mode of ['closed', 'sso_only'] as const) {
    const { world, ada, enter, people } = await forge(mode)
    // An invite that was made before the site was closed.
    const invite = await world.write((tx) => {
      const expires_at = timestamp(tx.now_ms + DAY)
      return permitSignUp(tx, { email: cy.email, created_by: ada.id, expires_at })
    })
    const code = findSignUpCode(world.hearth.db, invite, timestamp(world.clock.at))
    expect((await refusal(enter({ invite: code ?? '' }))).code).toBe('not_available')
    expect((await refusal(enter())).code).toBe('not_available')
    expect(people()).toBe(1)
  }
})

test('names, addresses and passwords are held to their rules, and nothing is mailed', async () => {
  const { world, enter, people } = await forge('open')
  await world.workspace('acme')
  const wrong: [object, string, string][] = [
    [{ username: 'ada' }, 'conflict', 'username'],
    [{ username: 'acme' }, 'conflict', 'username'],
    [{ username: 'api' }, 'conflict', 'username'],
    [{ username: 'Cy' }, 'invalid', 'username'],
    [{ username: 'c--y' }, 'invalid', 'username'],
    [{ username: 'c'.repeat(40) }, 'invalid', 'username'],
    [{ email: 'cy@' }, 'invalid', 'email'],
    [{ password: 'ninechars' }, 'invalid', 'password'],
    [{ password: 'cy@example.com' }, 'invalid', 'password'],
  ]
  for (const [input, code, field] of wrong) {
    const error = await refusal(enter(input))
    expect([error.code, error.field]).toEqual([code, field])
  }
  expect(people()).toBe(1)
  expect(await sentMails(world)).toEqual([])
})

test('a forge without its first account refuses registration', async () => {
  const world = await makeWorld({ sign_up: 'open' })
  expect((await refusal(world.call(register, anonymous, cy))).code).toBe('not_available')
})
