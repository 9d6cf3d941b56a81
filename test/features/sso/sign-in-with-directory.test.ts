import { describe, expect, test } from 'bun:test'
import { Attribute, Change } from 'ldapts'
import { anonymous } from '#core/caller.ts'
import type { LdapDirectory } from '#core/settings.ts'
import { setPasswordHash } from '#features/accounts/store/users.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { findTeamBySlug, findTeamRole } from '#features/teams/index.ts'
import { findStanding, findWorkspace } from '#features/workspaces/index.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { signInWithDirectory } from '#features/sso/sign-in-with-directory.ts'
import { PasswordHasher } from '#lib/password/password.ts'
import { makeWorld, refusal, type World } from '../../world.ts'
import { PASSWORD, withPassword } from '../accounts/with-password.ts'
import { ADMIN, SLAPD, startDirectory } from './slapd.ts'

if (SLAPD === null)
  process.stderr.write(
    'LDAP is not tested here: slapd is not installed (on Debian: apt-get install slapd)\n',
  )

describe.skipIf(SLAPD === null)('a directory of slapd', async () => {
  const directory = SLAPD === null ? null : await startDirectory()
  const settings = (change: Partial<LdapDirectory> = {}): LdapDirectory => ({
    id: 'ldap',
    name: 'Corp directory',
    url: directory?.url ?? '',
    start_tls: true,
    ca: directory?.ca ?? null,
    bind_dn: ADMIN.dn,
    bind_password: ADMIN.password,
    base: directory?.base ?? '',
    filter: '(&(objectClass=person)(uid={login}))',
    id_attribute: 'entryUUID',
    username_attribute: 'uid',
    name_attribute: 'cn',
    email_attribute: 'mail',
    group_base: directory?.groups ?? null,
    group_filter: '(&(objectClass=groupOfNames)(member={dn}))',
    group_attribute: 'cn',
    sign_up: true,
    link_by_email: false,
    trust_email: true,
    groups: [],
    ...change,
  })
  const open = async (
    change: Partial<LdapDirectory> = {},
    passwords: 'everyone' | 'administrators' = 'everyone',
  ) => {
    const world = await makeWorld({
      sso: { passwords, oidc: [], ldap: settings(change), header: null },
    })
    const root = await world.user('root', { site_admin: true })
    const password_hash = await new PasswordHasher().hash(PASSWORD)
    await world.write((tx) => setPasswordHash(tx, root.id, password_hash))
    return world
  }
  const enter = (world: World, login: string, password: string) =>
    world.call(signInWithDirectory, anonymous, { login, password })

  test('people of the directory sign in, over StartTLS and over LDAPS, and stay the same person', async () => {
    const world = await open()
    const { secret, user } = await enter(world, 'grace', 'a password of grace')
    expect(
      await world.call(whoami, world.hearth.callers.bySignIn(secret ?? '') as never, {}),
    ).toMatchObject({
      username: 'grace',
      name: 'Grace Hopper',
      email: 'grace@corp.example',
      verified: true,
    })
    expect((await enter(world, ' GRACE ', 'a password of grace')).user.id).toBe(user.id)
    const secure = await open({ url: directory?.ldaps ?? '', start_tls: false })
    expect((await enter(secure, 'grace', 'a password of grace')).user.username).toBe('grace')
  }, 120_000)

  test('a server with an untrusted certificate is refused', async () => {
    for (const change of [
      { ca: null },
      { ca: null, url: directory?.ldaps ?? '', start_tls: false },
    ]) {
      const error = await refusal(enter(await open(change), 'grace', 'a password of grace'))
      expect([error.code, error.message]).toEqual([
        'unavailable',
        'Corp directory does not answer; try again later',
      ])
    }
  }, 120_000)

  test('wrong, empty and unknown get the same words, and a star is no name', async () => {
    const world = await open()
    const said = new Set<string>()
    for (const [login, password] of [
      ['grace', 'wrong'],
      ['nobody', 'wrong'],
      ['grace', ''],
      ['*', 'a password of grace'],
      ['gr*', 'a password of grace'],
      ['grace)(uid=*', 'x'],
    ] as const) {
      const { code, field, message } = await refusal(enter(world, login, password))
      said.add(JSON.stringify([code, field, message]))
    }
    expect([...said]).toEqual([
      JSON.stringify(['invalid', 'password', 'the name or the password is wrong']),
    ])
    expect((await enter(world, 'odd*name', 'a password of odd')).user.username).toBe('odd-name')
  }, 120_000)

  test('a password of this site works beside it, and for administrators also when the directory is gone', async () => {
    const world = await open()
    await withPassword(world, 'local')
    expect((await enter(world, 'local', PASSWORD)).user.username).toBe('local')
    // The directory also has a user root. The administrator's password is checked locally only.
    expect((await enter(world, 'root', PASSWORD)).user.username).toBe('root')
    expect((await refusal(enter(world, 'root', 'another root'))).field).toBe('password')

    const broken = await open({ url: 'ldap://127.0.0.1:9' }, 'administrators')
    await withPassword(broken, 'local')
    expect((await enter(broken, 'root', PASSWORD)).user.username).toBe('root')
    expect((await refusal(enter(broken, 'local', PASSWORD))).code).toBe('unavailable')
    const strict = await open({}, 'administrators')
    await withPassword(strict, 'local')
    expect((await refusal(enter(strict, 'local', PASSWORD))).code).toBe('invalid')
  }, 120_000)

  test('groups add memberships and remove only those they added', async () => {
    const world = await open({
      groups: [
        { group: 'staff', workspace: 'corp', team: null, role: 'member' },
        { group: 'admins', workspace: 'corp', team: null, role: 'owner' },
        { group: 'admins', workspace: 'corp', team: 'platform', role: 'member' },
        { group: 'staff', workspace: 'missing', team: null, role: 'member' },
      ],
    })
    const root = await world.user('root')
    await world.workspace('corp', { owner: root })
    await world.workspace('byhand', { owner: root })
    await world.call(createTeam, root, { workspace: 'corp', name: 'Platform' })
    const { db } = world.hearth
    const corp = findWorkspace(db, 'corp')?.id ?? ''
    const team = findTeamBySlug(db, corp, 'platform')?.id ?? ''
    const standing = (id: string) => [
      findStanding(db, corp, id)?.role ?? null,
      findTeamRole(db, team, id),
    ]

    const grace = (await enter(world, 'grace', 'a password of grace')).user.id
    const alan = (await enter(world, 'alan', 'a password of alan')).user.id
    expect([standing(grace), standing(alan)]).toEqual([
      ['owner', 'member'],
      ['member', null],
    ])
    expect(world.events('member.added').map(({ data }) => data.username)).toEqual(['grace', 'alan'])

    await directory?.change(async (client) => {
      await client.modify(
        'cn=admins,ou=groups,dc=corp,dc=example',
        new Change({
          operation: 'replace',
          modification: new Attribute({
            type: 'member',
            values: ['uid=alan,ou=people,dc=corp,dc=example'],
          }),
        }),
      )
    })
    await enter(world, 'grace', 'a password of grace')
    await enter(world, 'alan', 'a password of alan')
    expect([standing(grace), standing(alan)]).toEqual([
      ['member', null],
      ['owner', 'member'],
    ])

    await directory?.change(async (client) => {
      await client.modify(
        'cn=staff,ou=groups,dc=corp,dc=example',
        new Change({
          operation: 'replace',
          modification: new Attribute({
            type: 'member',
            values: ['uid=root,ou=people,dc=corp,dc=example'],
          }),
        }),
      )
    })
    await enter(world, 'grace', 'a password of grace')
    expect(standing(grace)).toEqual([null, null])
    // Groups do not remove memberships that were given by hand.
    expect(standing(root.id)).toEqual(['owner', 'maintainer'])
    const log = db
      .all<{ action: string }>(
        `SELECT action FROM audit_log WHERE target_id = ? AND workspace_id = ? ORDER BY id`,
        grace,
        corp,
      )
      .map(({ action }) => action)
    expect(log).toEqual([
      'workspace.member_added',
      'team.member_added',
      'team.member_removed',
      'workspace.member_role_changed',
      'workspace.member_removed',
    ])
  }, 120_000)

  test('an account is taken over by address only where the settings trust the directory with it', async () => {
    const world = await open({ link_by_email: true, trust_email: false })
    const local = await withPassword(world, 'hopper', { email: 'grace@corp.example' })
    expect((await enter(world, 'grace', 'a password of grace')).user.username).toBe('grace')
    const trusting = await open({ link_by_email: true })
    const other = await withPassword(trusting, 'hopper', { email: 'grace@corp.example' })
    expect((await enter(trusting, 'grace', 'a password of grace')).user.id).toBe(other.id)
    expect(local.id).not.toBe(other.id)
    const closed = await open({ sign_up: false })
    expect((await refusal(enter(closed, 'grace', 'a password of grace'))).status).toBe(403)
  }, 120_000)
})
