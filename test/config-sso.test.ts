import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, loadConfig } from '#src/config.ts'

const data = mkdtempSync(join(tmpdir(), 'hearth-config-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const load = (file: string, environment: Record<string, string> = {}) => {
  writeFileSync(join(data, 'hearth.toml'), file)
  return loadConfig({ data }, environment).settings({ host: '127.0.0.1', port: 3000 }).sso
}
const wrong = (file: string, environment: Record<string, string> = {}): string => {
  try {
    load(file, environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('it was taken')
}
const CORP = `[[sso.oidc]]\nid = "corp"\nissuer = "https://id.corp.example"\nclient_id = "hearth"\n`
const LDAP = `[sso.ldap]\nurl = "ldaps://ldap.corp.example"\nbase = "dc=corp,dc=example"\n`

test('without settings there is no single sign-on', () => {
  expect(load('')).toEqual({ passwords: 'everyone', oidc: [], ldap: null, header: null })
})

test('several providers, in the file or as JSON in the environment, with their secrets in files', () => {
  writeFileSync(join(data, 'secret'), 'from a file\n')
  const { oidc } = load(
    `${CORP}client_secret_file = "${join(data, 'secret')}"\ngroups = ["staff = acme", "admins=acme:owner", "Platform team = acme/platform"]\n[[sso.oidc]]\nid = "other"\nname = "Other"\nissuer = "https://o.example"\nclient_id = "x"\n`,
  )
  expect(oidc[0]).toMatchObject({
    id: 'corp',
    name: 'corp',
    client_secret: 'from a file',
    scopes: ['openid', 'profile', 'email'],
    link_by_email: false,
    trust_email: true,
    groups: [
      { group: 'staff', workspace: 'acme', team: null, role: 'member' },
      { group: 'admins', workspace: 'acme', team: null, role: 'owner' },
      { group: 'Platform team', workspace: 'acme', team: 'platform', role: 'member' },
    ],
  })
  expect(oidc[1]).toMatchObject({ id: 'other', name: 'Other', client_secret: null })
  expect(
    load('', {
      HEARTH_SSO_OIDC: JSON.stringify([{ id: 'env', issuer: 'https://e.example', client_id: 'x' }]),
    }).oidc.map(({ id }) => id),
  ).toEqual(['env'])
})

test('a provider creates accounts where sign-up is open, and otherwise only with sign_up', () => {
  const of = (file: string) => load(file).oidc[0]?.sign_up
  expect(of(CORP)).toBe(false)
  expect(of(`${CORP}sign_up = true\n`)).toBe(true)
  expect(of(`[accounts]\nsign_up = "sso_only"\n${CORP}`)).toBe(true)
  expect(of(`[accounts]\nsign_up = "open"\n${CORP}sign_up = false\n`)).toBe(false)
  expect(of(`[accounts]\nsign_up = "closed"\n${CORP}sign_up = true\n`)).toBe(false)
})

test('an LDAP directory, whose addresses are not trusted by default', () => {
  expect(load(LDAP).ldap).toMatchObject({
    url: 'ldaps://ldap.corp.example',
    filter: '(&(objectClass=person)(uid={login}))',
    trust_email: false,
    start_tls: false,
    group_base: null,
  })
  expect(
    load(LDAP, {
      HEARTH_SSO_LDAP_BIND_PASSWORD: 'p',
      HEARTH_SSO_LDAP_GROUPS: 'staff=acme,admins=acme:owner',
    }).ldap,
  ).toMatchObject({ bind_password: 'p', groups: [{ group: 'staff' }, { role: 'owner' }] })
})

const HEADER = `[proxy]\ntrusted = ["10.0.0.2"]\n[sso.header]\nusername_header = "X-Remote-User"\n`

test('sign-on by a proxy needs proxy.trusted', () => {
  expect(load(HEADER).header).toMatchObject({
    username_header: 'x-remote-user',
    id_header: null,
    groups_header: null,
    groups_separator: ',',
    trust_email: true,
    sign_up: false,
    name: 'Company sign-in',
  })
  expect(
    load(`${HEADER}groups_header = "Remote-Groups"\ngroups = ["staff = acme"]\n`).header,
  ).toMatchObject({
    groups_header: 'remote-groups',
    groups: [{ group: 'staff', workspace: 'acme' }],
  })
  expect(
    load('', { HEARTH_PROXY_TRUSTED: '10.0.0.2', HEARTH_SSO_HEADER_USERNAME_HEADER: 'Remote-User' })
      .header?.username_header,
  ).toBe('remote-user')
  // Without the header's name there is no such sign-on.
  expect(load(`[sso.header]\nemail_header = "X-Remote-Email"\n`).header).toBeNull()
  expect(wrong(HEADER.replace('trusted', '#'))).toContain('sso.header needs proxy.trusted')
  for (const all of ['0.0.0.0/0', '::/0'])
    expect(wrong(HEADER.replace('10.0.0.2', all))).toContain('anybody could name themselves')
  for (const name of [
    'Cookie',
    'Authorization',
    'X-Forwarded-For',
    'Host',
    'x remote',
    'x_remote',
    'Accept-Language',
    'User-Agent',
  ]) {
    expect(wrong(HEADER.replace('X-Remote-User', name))).toContain('username_header')
  }
  expect(wrong(CORP.replace('"corp"', '"header"'))).toContain('neither ldap nor header')
})

test('errors name the setting and its place', () => {
  expect(wrong(`${CORP}${CORP}`)).toContain('two providers with the id corp')
  expect(wrong(CORP.replace('https:', 'http:'))).toContain('sso.oidc[0] needs https for issuer')
  expect(wrong(CORP.replace('"corp"', '"Corp ID"'))).toContain('sso.oidc[0] has the id')
  expect(wrong(CORP.replace('client_id', 'clientid'))).toContain('did you mean client_id?')
  expect(wrong(CORP.replace(/client_id.*\n/, ''))).toContain('needs client_id')
  expect(wrong(`${CORP}groups = ["staff"]\n`)).toContain('group = workspace')
  expect(wrong(`${CORP}client_secret_file = "/nonexistent/secret"\n`)).toContain('cannot be read')
  expect(wrong(LDAP.replace('ldaps:', 'ldap:'))).toContain('passwords would be sent unencrypted')
  expect(wrong(LDAP.replace(/base.*\n/, ''))).toContain('sso.ldap needs base')
  expect(wrong(`${LDAP}filter = "(uid=x)"\n`)).toContain('{login}')
  expect(wrong(`[sso]\noidc = "corp"\n`)).toContain('list of tables')
  expect(wrong(`[sso]\npasswords = "nobody"\n`)).toContain('everyone, administrators')
})
