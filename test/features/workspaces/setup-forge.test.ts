import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { HOUR } from '#lib/time.ts'
import { issueSetupLink, signIn } from '#features/accounts/index.ts'
import { createFirstAccount, listWorkspaces, setupForge } from '#features/workspaces/index.ts'
import { makeWorld, refusal } from '../../world.ts'
import { sentMails } from '../accounts/mailbox.ts'

const account = { username: 'ada', email: 'Ada@example.com', password: 'correct horse battery' }

async function fresh() {
  const world = await makeWorld()
  const code = new URL((await issueSetupLink(world.hearth)) ?? '').searchParams.get('code') ?? ''
  const set = (input: object = {}) =>
    world.call(setupForge, anonymous, { code, ...account, ...input })
  return { world, code, set, people: () => world.hearth.db.all('SELECT 1 FROM users').length }
}

test('the first account administers the site, is confirmed and signed in, and owns its workspace', async () => {
  const { world, set } = await fresh()
  const { secret } = await set({ workspace: 'acme' })
  const ada = world.hearth.callers.bySignIn(secret ?? '')
  expect(ada).toMatchObject({ kind: 'user', username: 'ada', verified: true, site_admin: true })
  expect(
    (await world.call(listWorkspaces, ada ?? anonymous, {})).items.map(({ slug, role }) => [
      slug,
      role,
    ]),
  ).toEqual([['acme', 'owner']])
  expect(await sentMails(world)).toEqual([])
  await world.call(signIn, anonymous, { login: 'ada@example.com', password: account.password })
})

test('the workspace is called as the person unless said', async () => {
  const { world, set } = await fresh()
  const { secret } = await set({ workspace: '' })
  const ada = world.hearth.callers.bySignIn(secret ?? '')
  expect(
    (await world.call(listWorkspaces, ada ?? anonymous, {})).items.map(({ slug }) => slug),
  ).toEqual(['ada'])
})

test('it works once', async () => {
  const { set, people } = await fresh()
  const results = await Promise.allSettled([
    set(),
    set({ username: 'eve', email: 'eve@example.com' }),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect((await refusal(set({ username: 'eve' }))).code).toBe('not_found')
  expect(people()).toBe(1)
})

test('without a valid secret the operation is not found', async () => {
  const { world, set, people } = await fresh()
  expect((await refusal(set({ code: 'x'.repeat(43) }))).code).toBe('not_found')
  world.clock.advance(HOUR)
  expect((await refusal(set())).code).toBe('not_found')
  expect(people()).toBe(0)
})

test('invalid input names its field and does not consume the link', async () => {
  const { set, people } = await fresh()
  const wrong: [object, string][] = [
    [{ username: 'Ada L' }, 'username'],
    [{ username: 'admin' }, 'username'],
    [{ email: 'ada' }, 'email'],
    [{ password: 'short' }, 'password'],
    [{ workspace: 'no way' }, 'workspace'],
    [{ workspace: 'settings' }, 'workspace'],
  ]
  for (const [input, field] of wrong) expect((await refusal(set(input))).field).toBe(field)
  expect(people()).toBe(0)
  await set()
})

test('the command makes the account too, and its link sets the password', async () => {
  const { world, set } = await fresh()
  const link = await createFirstAccount(world.hearth, { username: 'ada', email: 'ada@example.com' })
  expect(link).toMatch(/^https:\/\/hearth\.test\/reset\?token=[\w-]{43}$/)
  expect((await refusal(set())).code).toBe('not_found')
  expect(
    (await refusal(createFirstAccount(world.hearth, { username: 'eve', email: 'eve@example.com' })))
      .reason,
  ).toBe('already_exists')
  expect((await refusal(world.call(signIn, anonymous, { login: 'ada', password: '' }))).code).toBe(
    'invalid',
  )
})

test('the command says what is wrong with its words', async () => {
  const { world, people } = await fresh()
  expect(
    (await refusal(createFirstAccount(world.hearth, { username: 'ada', email: 'nowhere' }))).field,
  ).toBe('email')
  expect(
    (
      await refusal(
        createFirstAccount(world.hearth, {
          username: 'Ada!',
          email: 'ada@example.com',
          workspace: 'w',
        }),
      )
    ).field,
  ).toBe('username')
  expect(
    (
      await refusal(
        createFirstAccount(world.hearth, {
          username: 'ada',
          email: 'ada@example.com',
          workspace: 'api',
        }),
      )
    ).field,
  ).toBe('workspace')
  expect(people()).toBe(0)
})
