/**
 * LDAP (RFC 4511). The installation's own entry searches for the user, then a bind as that user
 * verifies the password. Each check uses its own connection. An unknown name costs a bind too, so
 * the response time does not reveal which names exist.
 */
import type { Client, Entry } from 'ldapts'
import type { Hearth } from '#core/hearth.ts'
import type { LdapDirectory } from '#core/settings.ts'
import { Refusal } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { SECOND } from '#lib/time.ts'
import type { ProviderIdentity } from './provider-identity.ts'

/** Loads when a directory is first asked: most installations have none. */
const ldapts = () => import('ldapts')

const TIMEOUT_MS = 5 * SECOND
const MAX_GROUPS = 1000

/** Escapes a text for use as a value in a filter (RFC 4515 section 3). */
export const escapeFilter = (text: string): string =>
  text.replace(/[\\*()\0]/g, (letter) => `\\${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)

const fillFilter = (filter: string, values: Readonly<Record<string, string>>): string =>
  filter.replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? escapeFilter(values[name] ?? '') : whole,
  )

/** The first value of an attribute, matched without case. Binary values as hex digits. */
function firstValue(entry: Entry, attribute: string): string | null {
  const key = Object.keys(entry).find((name) => name.toLowerCase() === attribute.toLowerCase())
  const value = key === undefined ? undefined : entry[key]
  const first = Array.isArray(value) ? value[0] : value
  if (first === undefined) return null
  const text = Buffer.isBuffer(first) ? first.toString('hex') : first
  return text === '' ? null : text
}

async function withClient<T>(
  directory: LdapDirectory,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const tls = {
    minVersion: 'TLSv1.2' as const,
    ...(directory.ca === null ? {} : { ca: [directory.ca] }),
  }
  const { Client } = await ldapts()
  const client = new Client({
    url: directory.url,
    timeout: TIMEOUT_MS,
    connectTimeout: TIMEOUT_MS,
    ...(directory.url.startsWith('ldaps:') ? { tlsOptions: tls } : {}),
  })
  try {
    if (directory.start_tls)
      await client.startTLS({ ...tls, servername: new URL(directory.url).hostname })
    return await use(client)
  } finally {
    await client.unbind().catch(() => {})
  }
}

async function bindInstallation(
  client: Client,
  { bind_dn, bind_password }: LdapDirectory,
): Promise<void> {
  if (bind_dn !== null) await client.bind(bind_dn, bind_password ?? '')
}

/**
 * Whether a bind with this password succeeds. An empty password is refused here, because servers
 * treat it as an anonymous bind (RFC 4513 section 5.1.2).
 */
async function canBind(client: Client, dn: string, password: string): Promise<boolean> {
  if (password === '') return false
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    const { InvalidCredentialsError } = await ldapts()
    if (error instanceof InvalidCredentialsError) return false
    throw error
  }
}

async function groupsOf(
  client: Client,
  directory: LdapDirectory,
  dn: string,
  username: string,
): Promise<string[] | null> {
  if (directory.group_base === null) return null
  const { searchEntries } = await client.search(directory.group_base, {
    scope: 'sub',
    filter: fillFilter(directory.group_filter, { dn, username }),
    attributes: [directory.group_attribute],
    sizeLimit: MAX_GROUPS,
  })
  return searchEntries
    .map((entry) => firstValue(entry, directory.group_attribute))
    .filter((name) => name !== null)
}

async function searchAndBind(
  client: Client,
  directory: LdapDirectory,
  login: string,
  password: string,
): Promise<ProviderIdentity | null> {
  await bindInstallation(client, directory)
  const { searchEntries } = await client.search(directory.base, {
    scope: 'sub',
    filter: fillFilter(directory.filter, { login }),
    sizeLimit: 2,
    attributes: [
      directory.id_attribute,
      directory.username_attribute,
      directory.name_attribute,
      directory.email_attribute,
    ],
    explicitBufferAttributes: ['objectGUID', 'objectSid'],
  })
  const [entry, another] = searchEntries
  if (!entry || another) {
    await canBind(client, `cn=${randomToken(9)},${directory.base}`, password).catch(() => false)
    return null
  }
  const username = firstValue(entry, directory.username_attribute) ?? login
  const groups = await groupsOf(client, directory, entry.dn, username)
  if (!(await canBind(client, entry.dn, password))) return null
  const subject = firstValue(entry, directory.id_attribute)
  if (subject === null) throw new Error(`the entry ${entry.dn} has no ${directory.id_attribute}`)
  return {
    subject,
    username,
    name: firstValue(entry, directory.name_attribute),
    email: firstValue(entry, directory.email_attribute),
    email_verified: directory.trust_email,
    groups,
  }
}

/**
 * The identity of the user when the directory accepts the password, otherwise null. Throws 503 when
 * the directory fails.
 */
export async function checkDirectory(
  hearth: Pick<Hearth, 'log'>,
  directory: LdapDirectory,
  login: string,
  password: string,
): Promise<ProviderIdentity | null> {
  try {
    return await withClient(directory, (client) =>
      searchAndBind(client, directory, login, password),
    )
  } catch (error) {
    hearth.log.warn('the directory does not answer as it should', { error })
    throw new Refusal('unavailable', `${directory.name} does not answer; try again later`, {
      headers: { 'Retry-After': '30' },
    })
  }
}
