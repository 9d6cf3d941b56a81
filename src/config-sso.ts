/**
 * Settings of single sign-on: one `[[sso.oidc]]` table for each OpenID Connect provider,
 * `[sso.ldap]`, and `[sso.header]` for a proxy that signs people in.
 */
import { readFileSync } from 'node:fs'
import { isValid, Type, type Static, type TSchema } from '#core/schema.ts'
import { SETTING_NAMES, type SettingName, type SettingValues } from '#core/setting-list.ts'
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
import { ConfigError, type ConfigValues } from './config-values.ts'

/** Throws ConfigError. The message begins with the name of the table. */
type Fail = (fault: string) => never

const failFor =
  (table: string): Fail =>
  (fault) => {
    throw new ConfigError(`${table} ${fault}`)
  }

const Text = Type.String({ minLength: 1 })
const Texts = Type.Array(Type.String())

/** One `[[sso.oidc]]` table. `groups`, `sign_up`, `link_by_email`, `trust_email` are the policy. */
const OidcTable = Type.Partial(
  Type.Object({
    id: Text,
    name: Text,
    issuer: Text,
    client_id: Text,
    client_secret: Text,
    client_secret_file: Text,
    scopes: Texts,
    username_claim: Text,
    groups_claim: Text,
    sign_up: Type.Boolean(),
    link_by_email: Type.Boolean(),
    trust_email: Type.Boolean(),
    groups: Texts,
  }),
)
type OidcTable = Static<typeof OidcTable>

const describeType = (schema: TSchema): string =>
  schema === Texts ? 'a list of texts' : schema === Text ? 'text' : 'true or false'

/** Checks one table against the schema. Null counts as not set. */
function parseOidcTable(table: unknown, fail: Fail): OidcTable {
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    return fail('must be written as [[sso.oidc]] tables')
  const known: Readonly<Record<string, TSchema>> = OidcTable.properties
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(table)) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined
    if (!schema)
      return fail(`has no setting ${name}; did you mean ${nearest(name, Object.keys(known))}?`)
    if (value === null) continue
    if (!isValid(schema, value)) return fail(`needs ${describeType(schema)} for ${name}`)
    values[name] = value
  }
  return values
}

const GRANT = /^([a-z0-9-]+)(?:\/([a-z0-9-]+)|:(owner|member))?$/

/** Reads `staff = acme`, `admins = acme:owner` and `platform = acme/platform` (a team). */
const parseGroupRules = (texts: readonly string[], fail: Fail): GroupRule[] =>
  texts.map((text) => {
    // The name of a group may hold `=`; a grant does not.
    const separator = text.lastIndexOf('=')
    const group = text.slice(0, Math.max(0, separator)).trimEnd()
    const [, workspace = '', team, role] = GRANT.exec(text.slice(separator + 1).trimStart()) ?? []
    if (group === '' || !isSlug(workspace))
      return fail(
        `has the group ${JSON.stringify(text)}, which is not of the form group = workspace, group = workspace:owner or group = workspace/team`,
      )
    return { group, workspace, team: team ?? null, role: role === 'owner' ? 'owner' : 'member' }
  })

type PolicyValues = {
  readonly sign_up?: boolean | null
  readonly link_by_email?: boolean
  readonly trust_email?: boolean
  readonly groups?: readonly string[]
}

/**
 * The policy of a provider. In the mode `invite` a provider creates no accounts unless its
 * `sign_up` says so. In the mode `closed` it never does.
 */
const policyOf = (
  { sign_up, link_by_email = false, trust_email = true, groups = [] }: PolicyValues,
  mode: SignUpMode,
  fail: Fail,
): Omit<SignOnPolicy, 'id' | 'name'> => ({
  sign_up: mode !== 'closed' && (sign_up ?? (mode === 'open' || mode === 'sso_only')),
  link_by_email,
  trust_email,
  groups: parseGroupRules(groups, fail),
})

const isLoopback = (hostname: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

function requireUrl(text: string, protocols: readonly string[], name: string, fail: Fail): URL {
  const url =
    URL.parse(text) ?? fail(`has ${JSON.stringify(text)} for ${name}, which is not an address`)
  return protocols.includes(url.protocol)
    ? url
    : fail(`needs ${protocols.join(' or ')}// for ${name}`)
}

function readText(path: string, name: string, fail: Fail): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return fail(`names a file for ${name} that cannot be read: ${path}`)
  }
}

function oidcProvider(table: unknown, mode: SignUpMode, fail: Fail): OidcProvider {
  const values = parseOidcTable(table, fail)
  const id = values.id ?? fail('needs id')
  if (!isSlug(id) || id === 'ldap' || id === 'header')
    fail(
      `has the id ${JSON.stringify(id)}; it takes lowercase letters, digits and single hyphens, and neither ldap nor header`,
    )
  const issuer = values.issuer ?? fail('needs issuer')
  const { protocol, hostname } = requireUrl(issuer, ['https:', 'http:'], 'issuer', fail)
  if (protocol === 'http:' && !isLoopback(hostname)) fail('needs https for issuer')
  const { client_secret_file: secretFile, scopes = [] } = values
  return {
    id,
    name: values.name ?? id,
    issuer,
    client_id: values.client_id ?? fail('needs client_id'),
    client_secret:
      values.client_secret ??
      (secretFile === undefined ? null : readText(secretFile, 'client_secret_file', fail).trim()),
    scopes: scopes.length > 0 ? scopes : ['openid', 'profile', 'email'],
    username_claim: values.username_claim ?? 'preferred_username',
    groups_claim: values.groups_claim ?? 'groups',
    ...policyOf(values, mode, fail),
  }
}

/** The settings of a section by their keys. */
type Section<Prefix extends string> = {
  readonly [N in SettingName as N extends `${Prefix}${infer Key}` ? Key : never]: SettingValues[N]
}

const sectionOf = <P extends 'sso.ldap.' | 'sso.header.'>(
  values: ConfigValues,
  prefix: P,
): Section<P> =>
  // The keys are those of `SETTING_NAMES` with the prefix, as the type says.
  Object.fromEntries(
    SETTING_NAMES.filter((name) => name.startsWith(prefix)).map((name) => [
      name.slice(prefix.length),
      values.get(name),
    ]),
  ) as Section<P>

function ldapDirectory(
  values: Section<'sso.ldap.'>,
  mode: SignUpMode,
  fail: Fail,
): LdapDirectory | null {
  if (values.url === null) return null
  const { protocol, hostname } = requireUrl(values.url, ['ldaps:', 'ldap:'], 'url', fail)
  if (protocol === 'ldap:' && !values.start_tls && !isLoopback(hostname))
    fail('needs ldaps:// or start_tls, because passwords would be sent unencrypted')
  if (protocol === 'ldaps:' && values.start_tls) fail('takes start_tls with ldap:// only')
  const filter = values.filter ?? '(&(objectClass=person)(uid={login}))'
  if (!filter.includes('{login}')) fail('needs {login} in its filter')
  return {
    id: 'ldap',
    name: values.name ?? 'LDAP',
    url: values.url,
    start_tls: values.start_tls,
    ca: values.ca_file === null ? null : readText(values.ca_file, 'ca_file', fail),
    bind_dn: values.bind_dn,
    bind_password: values.bind_password,
    base: values.base ?? fail('needs base'),
    filter,
    id_attribute: values.id_attribute ?? 'entryUUID',
    username_attribute: values.username_attribute ?? 'uid',
    name_attribute: values.name_attribute ?? 'cn',
    email_attribute: values.email_attribute ?? 'mail',
    group_base: values.group_base,
    group_filter: values.group_filter ?? '(&(objectClass=groupOfNames)(member={dn}))',
    group_attribute: values.group_attribute ?? 'cn',
    ...policyOf(values, mode, fail),
  }
}

/** Headers that every client can send. */
const CLIENT_HEADERS =
  /^(authorization|cookie|host|forwarded|x-forwarded-(for|host|proto)|user-agent|origin|referer|content-.*|accept.*)$/

/** The name of a header in lower case. Throws for a name that clients set themselves. */
function requireHeaderName(text: string | null, name: string, fail: Fail): string | null {
  const header = text?.toLowerCase() ?? null
  if (header !== null && (!/^[a-z0-9][a-z0-9-]*$/.test(header) || CLIENT_HEADERS.test(header)))
    fail(
      `needs the name of a header for ${name} that only the proxy sets, not ${JSON.stringify(header)}`,
    )
  return header
}

function headerSignOn(
  values: Section<'sso.header.'>,
  trustedProxies: readonly string[],
  mode: SignUpMode,
  fail: Fail,
): HeaderSignOn | null {
  const header = (name: 'username_header' | 'id_header' | 'name_header' | 'email_header') =>
    requireHeaderName(values[name], name, fail)
  const username_header = header('username_header')
  if (username_header === null) return null
  if (trustedProxies.length === 0)
    fail('needs proxy.trusted: the addresses of the proxies whose word counts')
  const everyAddress = trustedProxies.find((block) => /\/0+$/.test(block))
  if (everyAddress !== undefined)
    fail(
      `cannot be used while proxy.trusted holds ${everyAddress}, because anybody could name themselves`,
    )
  return {
    id: 'header',
    name: values.name ?? 'Company sign-in',
    username_header,
    id_header: header('id_header'),
    name_header: header('name_header'),
    email_header: header('email_header'),
    groups_header: requireHeaderName(values.groups_header, 'groups_header', fail),
    groups_separator: values.groups_separator ?? ',',
    ...policyOf(values, mode, fail),
  }
}

/** Throws ConfigError. `mode` is the sign-up mode of the site. */
export function ssoSettings(values: ConfigValues, mode: SignUpMode): Settings['sso'] {
  const oidc = values
    .get('sso.oidc')
    .map((table, index) => oidcProvider(table, mode, failFor(`sso.oidc[${index}]`)))
  const twice = oidc.find(({ id }, index) => oidc.findIndex((other) => other.id === id) !== index)
  if (twice) throw new ConfigError(`sso.oidc has two providers with the id ${twice.id}`)
  const ldap = sectionOf(values, 'sso.ldap.')
  const header = sectionOf(values, 'sso.header.')
  const trustedProxies = values.get('proxy.trusted')
  return {
    passwords: values.get('sso.passwords'),
    oidc,
    ldap: ldapDirectory(ldap, mode, failFor('sso.ldap')),
    header: headerSignOn(header, trustedProxies, mode, failFor('sso.header')),
  }
}
