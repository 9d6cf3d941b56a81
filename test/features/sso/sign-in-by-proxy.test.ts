/**
 * Accounts and memberships of users whom a proxy names. The HTTP tests cover which proxies are
 * trusted.
 */
import { expect, test } from 'bun:test'
import { nowhere } from '#core/audit.ts'
import { anonymous, type Caller } from '#core/caller.ts'
import type { HeaderSignOn } from '#core/settings.ts'
import { listSignIns } from '#features/accounts/sign-in/list-sign-ins.ts'
import { createSignIn } from '#features/accounts/index.ts'
import { signInByProxy } from '#features/sso/sign-in-by-proxy.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { listTeamMembers } from '#features/teams/list-team-members.ts'
import { workspaceFacts } from '#features/workspaces/index.ts'
import { agentOf, makeWorld, refusal, withToken } from '../../world.ts'

const header: HeaderSignOn = {
  id: 'header',
  name: 'Corp',
  username_header: 'x-remote-user',
  id_header: null,
  name_header: null,
  email_header: null,
  groups_header: null,
  groups_separator: ',',
  sign_up: true,
  link_by_email: false,
  trust_email: true,
  groups: [
    { group: 'staff', workspace: 'acme', team: null, role: 'member' },
    { group: 'leads', workspace: 'acme', team: null, role: 'owner' },
    { group: 'platform', workspace: 'acme', team: 'platform', role: 'member' },
  ],
}

async function proxied(change: Partial<HeaderSignOn> = {}) {
  const world = await makeWorld({
    sso: { passwords: 'everyone', oidc: [], ldap: null, header: { ...header, ...change } },
  })
  const root = await world.user('root', { site_admin: true })
  await world.workspace('acme', { owner: root })
  const { slug } = await world.call(createTeam, root, { workspace: 'acme', name: 'Platform' })
  const named = (
    username: string,
    more: {
      email?: string | null
      groups?: string[] | null
      name?: string | null
      id?: string
    } = {},
  ) => ({
    id: more.id ?? username,
    username,
    name: more.name ?? null,
    email: more.email === undefined ? `${username}@corp.example` : more.email,
    groups: more.groups ?? null,
  })
  return {
    ...world,
    root,
    named,
    slug,
    arrive: (who: ReturnType<typeof named>, as: Caller = anonymous) =>
      world.call(signInByProxy, as, { named: who }),
    /** The caller of a sign-in's secret, as in the next request. */
    visitor: (secret: string | null): Caller =>
      world.hearth.callers.bySignIn(secret ?? '') ?? anonymous,
    role: (caller: Caller) => workspaceFacts(world.hearth.db, 'acme', caller)?.role ?? null,
    team: async () =>
      (await world.call(listTeamMembers, root, { workspace: 'acme', team: slug })).items
        .map(({ user }) => user?.username)
        .sort(),
  }
}

test('a new user gets one account with a confirmed address, a name and an audit entry', async () => {
  const world = await proxied()
  const first = await world.arrive(
    world.named('Ada.L', { name: 'Ada Lovelace', email: 'ada@corp.example' }),
  )
  expect(first.sign_in).toMatchObject({ user: { username: 'ada-l' }, second_factor: [] })
  const ada = world.visitor(first.sign_in?.secret ?? '')
  expect(ada).toMatchObject({ kind: 'user', username: 'ada-l', verified: true, site_admin: false })
  expect((await world.call(listSignIns, ada as never, {})).items).toMatchObject([
    { method: 'proxy' },
  ])
  expect(
    world.hearth.db.all(
      `SELECT 1 FROM audit_log WHERE action = 'user.identity_linked' AND target_name = 'ada-l'`,
    ),
  ).toHaveLength(1)
  expect(
    world.hearth.db.all(
      `SELECT 1 FROM audit_log WHERE action = 'user.signed_in' AND target_name = 'ada-l'`,
    ),
  ).toHaveLength(1)
  // Another browser gets the same account. This browser needs no new sign-in.
  expect(
    (await world.arrive(world.named('Ada.L', { email: 'changed@corp.example' }))).sign_in?.user
      .username,
  ).toBe('ada-l')
  expect(await world.arrive(world.named('Ada.L'), ada)).toEqual({ sign_in: null })
})

test('where nobody is to get an account, nobody does; nor without an address, nor on a forge without its first account', async () => {
  const closed = await proxied({ sign_up: false })
  expect((await refusal(closed.arrive(closed.named('eve')))).reason).toBe('role')
  const open = await proxied()
  expect((await refusal(open.arrive(open.named('eve', { email: null })))).field).toBe('email')
  const empty = await makeWorld({ sso: { passwords: 'everyone', oidc: [], ldap: null, header } })
  expect(
    (await refusal(empty.call(signInByProxy, anonymous, { named: open.named('eve') }))).reason,
  ).toBe('role')
  expect(
    (
      await refusal(
        (await makeWorld()).call(signInByProxy, anonymous, { named: open.named('eve') }),
      )
    ).code,
  ).toBe('not_available')
  for (const world of [closed, open, empty])
    expect(world.hearth.db.all(`SELECT 1 FROM actors WHERE username = 'eve'`)).toEqual([])
})

test('an account with the same name or address is not linked; its owner links it while signed in', async () => {
  const world = await proxied()
  const bob = await world.user('bob')
  const taken = await refusal(world.arrive(world.named('bob', { email: 'bob@example.com' })))
  expect([taken.reason, taken.message.includes('sign in to it')]).toEqual(['already_exists', true])
  // A matching name alone creates another account.
  expect(
    (await world.arrive(world.named('bob', { email: 'other@corp.example', id: 'E2' }))).sign_in
      ?.user.username,
  ).toBe('bob-2')
  await world.call(signInByProxy, bob, { named: world.named('bob'), link: true })
  expect((await world.arrive(world.named('bob'))).sign_in?.user.username).toBe('bob')
  expect(
    (await refusal(world.call(signInByProxy, anonymous, { named: world.named('bob'), link: true })))
      .code,
  ).toBe('unauthenticated')
  expect(
    (
      await refusal(
        world.call(signInByProxy, withToken(bob, {}), { named: world.named('bob'), link: true }),
      )
    ).code,
  ).toBe('unauthenticated')
  expect(
    (
      await refusal(
        world.call(signInByProxy, world.root, { named: world.named('bob'), link: true }),
      )
    ).reason,
  ).toBe('already_exists')
  // An administrator's account is not linked, even when addresses are trusted.
  const linking = await proxied({ link_by_email: true })
  await linking.user('cy')
  expect(
    (await linking.arrive(linking.named('someone', { email: 'cy@example.com' }))).sign_in?.user
      .username,
  ).toBe('cy')
  expect(
    (await refusal(linking.arrive(linking.named('eve', { email: 'root@example.com' })))).reason,
  ).toBe('already_exists')
})

test("another proxy identity replaces the proxy's sign-in, never a local one", async () => {
  const world = await proxied()
  const { sign_in } = await world.arrive(world.named('ada'))
  const ada = world.visitor(sign_in?.secret ?? '')
  const next = await world.arrive(world.named('bea'), ada)
  expect(next.sign_in?.user.username).toBe('bea')
  expect(world.visitor(sign_in?.secret ?? '')).toEqual(anonymous)
  const own = await world.write((tx) =>
    createSignIn(tx, world.root, { method: 'password', origin: nowhere }),
  )
  const root = world.visitor(own.secret)
  expect(await world.arrive(world.named('ada'), root)).toEqual({ sign_in: null })
  expect(world.visitor(own.secret)).toMatchObject({ username: 'root' })
  for (const caller of [
    withToken(world.root, {}),
    agentOf(world.root, { id: 'rep_1' }, { id: 'agt_1' }),
  ]) {
    expect(await world.arrive(world.named('ada'), caller)).toEqual({ sign_in: null })
  }
})

test('a refused sign-in keeps the existing one', async () => {
  const world = await proxied()
  const { sign_in } = await world.arrive(world.named('ada'))
  const ada = world.visitor(sign_in?.secret ?? '')
  expect((await refusal(world.arrive(world.named('eve', { email: null }), ada))).field).toBe(
    'email',
  )
  expect(world.visitor(sign_in?.secret ?? '')).toMatchObject({ username: 'ada' })
})

test('groups add memberships at sign-in and when they change', async () => {
  const world = await proxied()
  const { sign_in } = await world.arrive(
    world.named('ada', { groups: ['staff', 'platform', 'unknown'] }),
  )
  const ada = world.visitor(sign_in?.secret ?? '')
  expect([world.role(ada), await world.team()]).toEqual(['member', ['ada', 'root']])
  await world.arrive(world.named('ada', { groups: ['leads'] }), ada)
  expect([world.role(ada), await world.team()]).toEqual(['owner', ['root']])
  // Missing groups change nothing. An empty list removes what groups gave.
  await world.arrive(world.named('ada'), ada)
  expect(world.role(ada)).toBe('owner')
  await world.arrive(world.named('ada', { groups: [] }), ada)
  expect(world.role(ada)).toBeNull()
})

test('suspended users cannot sign in, and a second factor is still required', async () => {
  const world = await proxied()
  const { sign_in } = await world.arrive(world.named('ada'))
  const id = sign_in?.user.id ?? ''
  world.hearth.database.run('UPDATE users SET two_factor_enabled = 1 WHERE id = ?', id)
  const again = await world.arrive(world.named('ada'))
  expect(world.visitor(again.sign_in?.secret ?? '')).toEqual(anonymous)
  world.hearth.database.run('UPDATE users SET suspended_at = created_at WHERE id = ?', id)
  expect((await refusal(world.arrive(world.named('ada')))).reason).toBe('suspended')
})
