/**
 * Settings of sign-on through a company's own providers: `[[sso.oidc]]` tables, one for each
 * provider, `[sso.ldap]`, and `[sso.header]`.
 */
import { readFileSync } from 'node:fs'
import type {
  GroupRule,
  HeaderSignOn,
  LdapDirectory,
  OidcProvider,
  Settings,
  SignOnPolicy,
  SignUpMode,
} from '#core/settings.ts'
import { nearest } from '#lib/nearest.ts'
import { isSlug } from '#lib/slug.ts'

type Values = Readonly<Record<string, unknown>>
type Fail = (what: string) => never

const POLICY = {
  sign_up: 'boolean',
  link_by_email: 'boolean',
  trust_email: 'boolean',
  groups: 'list',
} as const

const OIDC = {
  id: 'text',
  name: 'text',
  issuer: 'text',
  client_id: 'text',
  client_secret: 'text',
  client_secret_file: 'text',
  scopes: 'list',
  username_claim: 'text',
  groups_claim: 'text',
  ...POLICY,
} as const

const RULE = /^(.+?)\s*=\s*([a-z0-9-]+)(?:\/([a-z0-9-]+)|:(owner|member))?$/

/** Reads `staff = acme`, `admins = acme:owner` and `platform = acme/platform` (a team). */
function groupRules(values: Values, fail: Fail): GroupRule[] {
  return listOf(values, 'groups', fail).map((text) => {
    const [, group, workspace = '', team, role] = RULE.exec(text) ?? []
    if (group === undefined || !isSlug(workspace))
      return fail(
        `has the group ${JSON.stringify(text)}, which is not of the form group = workspace, group = workspace:owner or group = workspace/team`,
      )
    return { group, workspace, team: team ?? null, role: role === 'owner' ? 'owner' : 'member' }
  })
}

const textOf = (values: Values, name: string, fail: Fail): string | null => {
  const value = values[name] ?? null
  return value === null || (typeof value === 'string' && value !== '')
    ? value
    : fail(`needs text for ${name}`)
}
const required = (values: Values, name: string, fail: Fail): string =>
  textOf(values, name, fail) ?? fail(`needs ${name}`)
const flagOf = (values: Values, name: string, otherwise: boolean, fail: Fail): boolean => {
  const value = values[name] ?? otherwise
  return typeof value === 'boolean' ? value : fail(`needs true or false for ${name}`)
}
const listOf = (values: Values, name: string, fail: Fail): string[] => {
  const value = values[name] ?? []
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value
    : fail(`needs a list of texts for ${name}`)
}

/**
 * Where accounts are made by invite, knowing a provider is no invite unless the administrator says
 * so.
 */
const policy = (
  values: Values,
  mode: SignUpMode,
  trust: boolean,
  fail: Fail,
): Omit<SignOnPolicy, 'id' | 'name'> => ({
  sign_up:
    mode !== 'closed' && flagOf(values, 'sign_up', mode === 'open' || mode === 'sso_only', fail),
  link_by_email: flagOf(values, 'link_by_email', false, fail),
  trust_email: flagOf(values, 'trust_email', trust, fail),
  groups: groupRules(values, fail),
})

const isLoopback = (hostname: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

function addressOf(text: string, protocols: readonly string[], name: string, fail: Fail): URL {
  const url = URL.canParse(text)
    ? new URL(text)
    : fail(`has ${JSON.stringify(text)} for ${name}, which is not an address`)
  return protocols.includes(url.protocol)
    ? url
    : fail(`needs ${protocols.join(' or ')}// for ${name}`)
}

function fileText(path: string, name: string, fail: Fail): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return fail(`names a file for ${name} that cannot be read: ${path}`)
  }
}

function oidcProvider(table: unknown, mode: SignUpMode, fail: Fail): OidcProvider {
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    return fail('must be written as [[sso.oidc]] tables')
  const values = table as Values
  for (const name of Object.keys(values)) {
    if (!(name in OIDC))
      fail(`has no setting ${name}; did you mean ${nearest(name, Object.keys(OIDC))}?`)
  }
  const id = required(values, 'id', fail)
  if (!isSlug(id) || id === 'ldap' || id === 'header')
    fail(
      `has the id ${JSON.stringify(id)}; it takes lowercase letters, digits and single hyphens, and neither ldap nor header`,
    )
  const issuer = addressOf(required(values, 'issuer', fail), ['https:', 'http:'], 'issuer', fail)
  if (issuer.protocol === 'http:' && !isLoopback(issuer.hostname)) fail('needs https for issuer')
  const secretFile = textOf(values, 'client_secret_file', fail)
  const scopes = listOf(values, 'scopes', fail)
  return {
    id,
    name: textOf(values, 'name', fail) ?? id,
    issuer: required(values, 'issuer', fail),
    client_id: required(values, 'client_id', fail),
    client_secret:
      textOf(values, 'client_secret', fail) ??
      (secretFile === null ? null : fileText(secretFile, 'client_secret_file', fail).trim()),
    scopes: scopes.length > 0 ? scopes : ['openid', 'profile', 'email'],
    username_claim: textOf(values, 'username_claim', fail) ?? 'preferred_username',
    groups_claim: textOf(values, 'groups_claim', fail) ?? 'groups',
    ...policy(values, mode, true, fail),
  }
}

function ldapDirectory(values: Values, mode: SignUpMode, fail: Fail): LdapDirectory | null {
  const address = textOf(values, 'url', fail)
  if (address === null) return null
  const url = addressOf(address, ['ldaps:', 'ldap:'], 'url', fail)
  const start_tls = flagOf(values, 'start_tls', false, fail)
  if (url.protocol === 'ldap:' && !start_tls && !isLoopback(url.hostname))
    fail('needs ldaps:// or start_tls, because passwords would be sent in the clear')
  if (url.protocol === 'ldaps:' && start_tls) fail('takes start_tls with ldap:// only')
  const caFile = textOf(values, 'ca_file', fail)
  const filter = textOf(values, 'filter', fail) ?? '(&(objectClass=person)(uid={login}))'
  if (!filter.includes('{login}')) fail('needs {login} in its filter')
  return {
    id: 'ldap',
    name: textOf(values, 'name', fail) ?? 'LDAP',
    url: address,
    start_tls,
    ca: caFile === null ? null : fileText(caFile, 'ca_file', fail),
    bind_dn: textOf(values, 'bind_dn', fail),
    bind_password: textOf(values, 'bind_password', fail),
    base: required(values, 'base', fail),
    filter,
    id_attribute: textOf(values, 'id_attribute', fail) ?? 'entryUUID',
    username_attribute: textOf(values, 'username_attribute', fail) ?? 'uid',
    name_attribute: textOf(values, 'name_attribute', fail) ?? 'cn',
    email_attribute: textOf(values, 'email_attribute', fail) ?? 'mail',
    group_base: textOf(values, 'group_base', fail),
    group_filter:
      textOf(values, 'group_filter', fail) ?? '(&(objectClass=groupOfNames)(member={dn}))',
    group_attribute: textOf(values, 'group_attribute', fail) ?? 'cn',
    ...policy(values, mode, false, fail),
  }
}

/** What a request holds for other reasons, or what clients say of themselves. */
const NOT_FOR_NAMES =
  /^(authorization|cookie|host|forwarded|x-forwarded-(for|host|proto)|user-agent|origin|referer|content-.*|accept.*)$/

function headerOf(values: Values, name: string, fail: Fail): string | null {
  const header = textOf(values, name, fail)?.toLowerCase() ?? null
  if (header !== null && (!/^[a-z0-9][a-z0-9-]*$/.test(header) || NOT_FOR_NAMES.test(header)))
    fail(
      `needs the name of a header for ${name} that only the proxy sets, not ${JSON.stringify(header)}`,
    )
  return header
}

function headerSignOn(
  values: Values,
  trusted: readonly string[],
  mode: SignUpMode,
  fail: Fail,
): HeaderSignOn | null {
  const username_header = headerOf(values, 'username_header', fail)
  if (username_header === null) return null
  if (trusted.length === 0)
    fail('needs proxy.trusted: the addresses of the proxies whose word counts')
  const everybody = trusted.find((block) => /\/0+$/.test(block))
  if (everybody !== undefined)
    fail(
      `cannot be used while proxy.trusted holds ${everybody}, because anybody could name themselves`,
    )
  return {
    id: 'header',
    name: textOf(values, 'name', fail) ?? 'Company sign-in',
    username_header,
    id_header: headerOf(values, 'id_header', fail),
    name_header: headerOf(values, 'name_header', fail),
    email_header: headerOf(values, 'email_header', fail),
    groups_header: headerOf(values, 'groups_header', fail),
    groups_separator: textOf(values, 'groups_separator', fail) ?? ',',
    ...policy(values, mode, true, fail),
  }
}

/** `value` gives a setting by its full name; `fail` throws with what is wrong. */
export function ssoSettings(
  value: (name: string) => unknown,
  mode: SignUpMode,
  fail: Fail,
): Settings['sso'] {
  const tables = value('sso.oidc')
  const oidc = (Array.isArray(tables) ? tables : []).map((table: unknown, index) =>
    oidcProvider(table, mode, (what) => fail(`sso.oidc[${index}] ${what}`)),
  )
  const twice = oidc.find(({ id }, index) => oidc.findIndex((other) => other.id === id) !== index)
  if (twice) fail(`sso.oidc has two providers with the id ${twice.id}`)
  const ldap = Object.fromEntries(LDAP_SETTINGS.map((name) => [name, value(`sso.ldap.${name}`)]))
  const header = Object.fromEntries(
    HEADER_SETTINGS.map((name) => [name, value(`sso.header.${name}`)]),
  )
  return {
    passwords: value('sso.passwords') as 'everyone' | 'administrators',
    oidc,
    ldap: ldapDirectory(ldap, mode, (what) => fail(`sso.ldap ${what}`)),
    header: headerSignOn(header, value('proxy.trusted') as string[], mode, (what) =>
      fail(`sso.header ${what}`),
    ),
  }
}

/** The names of `[sso.ldap]`, which are also variables of the environment. */
export const LDAP_SETTINGS = [
  'url',
  'name',
  'start_tls',
  'ca_file',
  'bind_dn',
  'bind_password',
  'base',
  'filter',
  'id_attribute',
  'username_attribute',
  'name_attribute',
  'email_attribute',
  'group_base',
  'group_filter',
  'group_attribute',
  'groups',
  'sign_up',
  'link_by_email',
  'trust_email',
] as const

/** The names of `[sso.header]`, likewise. */
export const HEADER_SETTINGS = [
  'username_header',
  'id_header',
  'name_header',
  'email_header',
  'groups_header',
  'groups_separator',
  'name',
  'groups',
  'sign_up',
  'link_by_email',
  'trust_email',
] as const
