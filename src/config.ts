/**
 * Settings of an installation: flags win over `HEARTH_…` variables, variables over the file
 * `hearth.toml`, the file over the defaults. This is the only reader of the environment. An unknown
 * name is an error that names the nearest known one, so that a misspelt setting cannot go
 * unnoticed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Configured, Settings, SignUpMode } from '#core/settings.ts'
import { parseBucket } from '#lib/bucket.ts'
import { nearest } from '#lib/nearest.ts'
import { parseBlock } from '#lib/net.ts'
import { parseOutboundRules } from '#lib/outbound.ts'
import { duration } from '#lib/time.ts'
import { ssoSettings } from './config-sso.ts'
import packageJson from '../package.json' with { type: 'json' }

export const VERSION: string = packageJson.version

/**
 * What is wrong with a flag, a variable or the file; its text is for the person who starts the
 * program.
 */
export class ConfigError extends Error {}

type Kind = 'text' | 'number' | 'boolean' | 'list' | 'bytes' | 'tables'
type Setting = {
  readonly kind: Kind
  readonly default: unknown
  readonly help: string
  readonly words?: readonly string[]
  /** Whether `none` lifts it. */
  readonly none?: boolean
}

/**
 * Every setting by its name in the file (`section.key`), and so in the environment
 * (`HEARTH_SECTION_KEY`).
 */
export const SETTINGS: Readonly<Record<string, Setting>> = {
  data: { kind: 'text', default: './data', help: 'Directory of everything that lasts.' },
  listen: {
    kind: 'text',
    default: '127.0.0.1:3000',
    help: 'Address and port to listen on, or unix:/path; port 0 picks one. A socket that systemd hands over is used in its place.',
  },
  site_url: {
    kind: 'text',
    default: null,
    help: 'The public address; made from the listener when it is not set.',
  },
  log_level: {
    kind: 'text',
    default: 'info',
    words: ['debug', 'info', 'warn', 'error'],
    help: 'The least severe log lines that are written.',
  },
  log_format: {
    kind: 'text',
    default: 'json',
    words: ['json', 'text'],
    help: 'One JSON object a line, or plain text.',
  },
  log_slow_query_ms: {
    kind: 'number',
    default: 250,
    help: 'Questions to the database that take so many milliseconds or more are logged; 0 logs none.',
  },
  log_slow_git_ms: {
    kind: 'number',
    default: 10_000,
    help: 'Git operations that take so many milliseconds or more are logged; 0 logs none.',
  },
  development: {
    kind: 'boolean',
    default: false,
    help: 'Shows the component gallery; never in production.',
  },
  'accounts.sign_up': {
    kind: 'text',
    default: 'invite',
    words: ['open', 'invite', 'sso_only', 'closed'],
    help: 'Who may make an account.',
  },
  'sso.passwords': {
    kind: 'text',
    default: 'everyone',
    words: ['everyone', 'administrators'],
    help: 'Who may sign in with a password of this site.',
  },
  'sso.oidc': {
    kind: 'tables',
    default: [],
    help: 'OpenID Connect providers: one [[sso.oidc]] table each, with id, name, issuer, client_id, client_secret.',
  },
  'sso.ldap.url': {
    kind: 'text',
    default: null,
    help: 'LDAP server as ldaps://host or, with start_tls, ldap://host.',
  },
  'sso.ldap.name': {
    kind: 'text',
    default: null,
    help: 'What the directory is called on the sign-in page.',
  },
  'sso.ldap.start_tls': {
    kind: 'boolean',
    default: false,
    help: 'Whether an ldap:// connection is encrypted with StartTLS.',
  },
  'sso.ldap.ca_file': {
    kind: 'text',
    default: null,
    help: 'Certificate authorities of the LDAP server, in PEM.',
  },
  'sso.ldap.bind_dn': {
    kind: 'text',
    default: null,
    help: 'The entry that looks people up; anonymous when it is not set.',
  },
  'sso.ldap.bind_password': { kind: 'text', default: null, help: 'Its password.' },
  'sso.ldap.base': { kind: 'text', default: null, help: 'The entry below which people are.' },
  'sso.ldap.filter': {
    kind: 'text',
    default: null,
    help: 'Finds a person; {login} is what was typed. (&(objectClass=person)(uid={login})) unless set.',
  },
  'sso.ldap.id_attribute': {
    kind: 'text',
    default: null,
    help: 'What never changes about a person; entryUUID unless set.',
  },
  'sso.ldap.username_attribute': {
    kind: 'text',
    default: null,
    help: 'Where the username is taken from; uid unless set.',
  },
  'sso.ldap.name_attribute': {
    kind: 'text',
    default: null,
    help: 'Where the display name is taken from; cn unless set.',
  },
  'sso.ldap.email_attribute': {
    kind: 'text',
    default: null,
    help: 'Where the address is taken from; mail unless set.',
  },
  'sso.ldap.group_base': {
    kind: 'text',
    default: null,
    help: 'The entry below which groups are; without it there are none.',
  },
  'sso.ldap.group_filter': {
    kind: 'text',
    default: null,
    help: 'Finds the groups of a person by {dn} or {username}; (&(objectClass=groupOfNames)(member={dn})) unless set.',
  },
  'sso.ldap.group_attribute': {
    kind: 'text',
    default: null,
    help: 'The name of a group; cn unless set.',
  },
  'sso.ldap.groups': {
    kind: 'list',
    default: [],
    help: 'What groups give: group = workspace, group = workspace:owner, group = workspace/team.',
  },
  'sso.ldap.sign_up': {
    kind: 'boolean',
    default: null,
    help: 'Whether people of the directory get accounts; as accounts.sign_up says unless set.',
  },
  'sso.ldap.link_by_email': {
    kind: 'boolean',
    default: false,
    help: 'Whether a person of the directory takes over the account with the same confirmed address.',
  },
  'sso.ldap.trust_email': {
    kind: 'boolean',
    default: false,
    help: 'Whether addresses of the directory count as confirmed.',
  },
  'sso.header.username_header': {
    kind: 'text',
    default: null,
    help: 'The header in which a proxy of proxy.trusted names the person that it has signed in; without it there is no such sign-on.',
  },
  'sso.header.id_header': {
    kind: 'text',
    default: null,
    help: 'The header with what never changes about a person; the username counts as that unless set.',
  },
  'sso.header.name_header': {
    kind: 'text',
    default: null,
    help: 'The header with the display name.',
  },
  'sso.header.email_header': {
    kind: 'text',
    default: null,
    help: 'The header with the address; new accounts need one.',
  },
  'sso.header.groups_header': {
    kind: 'text',
    default: null,
    help: 'The header with the groups; without it there are none.',
  },
  'sso.header.groups_separator': {
    kind: 'text',
    default: null,
    help: 'What stands between two groups; a comma unless set.',
  },
  'sso.header.name': {
    kind: 'text',
    default: null,
    help: 'What this sign-on is called in the settings of people.',
  },
  'sso.header.groups': {
    kind: 'list',
    default: [],
    help: 'What groups give: group = workspace, group = workspace:owner, group = workspace/team.',
  },
  'sso.header.sign_up': {
    kind: 'boolean',
    default: null,
    help: 'Whether people whom the proxy names get accounts; as accounts.sign_up says unless set.',
  },
  'sso.header.link_by_email': {
    kind: 'boolean',
    default: false,
    help: 'Whether a person whom the proxy names takes over the account with the same confirmed address.',
  },
  'sso.header.trust_email': {
    kind: 'boolean',
    default: true,
    help: 'Whether addresses that the proxy gives count as confirmed.',
  },
  'workspaces.per_person': {
    kind: 'number',
    default: 10,
    help: 'How many workspaces one person may belong to.',
  },
  'repos.private_by_default': {
    kind: 'boolean',
    default: true,
    help: 'Whether a new repository is private when it is not said.',
  },
  'mcp.origins': {
    kind: 'list',
    default: [],
    help: 'Origins besides the site from which browsers may call the tool server.',
  },
  'tls.certificate': {
    kind: 'text',
    default: null,
    help: 'A file with the certificate of the site and those that vouch for it, in PEM; read again when it changes.',
  },
  'tls.key': {
    kind: 'text',
    default: null,
    help: 'The file with its private key, in PEM, without a password.',
  },
  'tls.redirect': {
    kind: 'text',
    default: null,
    help: 'Address and port (such as 0.0.0.0:80) where requests in the clear are sent on to site_url, and challenges of http-01 are answered.',
  },
  'acme.domains': {
    kind: 'list',
    default: [],
    help: 'Names to get certificates for from an authority that speaks ACME. Setting it agrees to the terms of the authority.',
  },
  'acme.email': { kind: 'text', default: null, help: 'Whom the authority may write to.' },
  'acme.directory': {
    kind: 'text',
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    help: 'The directory of the authority.',
  },
  'acme.challenge': {
    kind: 'text',
    default: 'tls-alpn-01',
    words: ['tls-alpn-01', 'http-01'],
    help: 'How names are proved: on the port of the site itself (public port 443), or on that of tls.redirect (public port 80).',
  },
  'acme.ca_file': {
    kind: 'text',
    default: null,
    help: 'Who vouches for the directory, in PEM; for an authority of your own.',
  },
  'proxy.trusted': {
    kind: 'list',
    default: [],
    help: 'Addresses of proxies whose forwarded headers are believed.',
  },
  'outbound.allow': {
    kind: 'list',
    default: [],
    help: 'Host names, addresses and blocks that may be reached besides public ones; http:// before one allows it in the clear.',
  },
  'audit.ip': {
    kind: 'boolean',
    default: true,
    help: 'Whether the audit log holds the addresses that requests came from.',
  },
  'audit.keep_days': {
    kind: 'number',
    default: 400,
    help: 'How long entries of the audit log are kept, at least 30.',
  },
  'mail.url': {
    kind: 'text',
    default: null,
    help: 'SMTP server as smtp://user:password@host:port; without it mail goes to <data>/outbox.',
  },
  'mail.from': { kind: 'text', default: null, help: 'Sender of mail, as Name <address>.' },
  'checks.isolation': {
    kind: 'text',
    default: 'required',
    words: ['required', 'none'],
    help: 'Whether commands of acceptance checks are refused where they cannot be isolated; none runs them with the rights of this server, for a forge whose every user is trusted.',
  },
  'checks.network': {
    kind: 'boolean',
    default: false,
    help: 'Whether commands of acceptance checks may use the network of this machine, which reaches whatever this machine reaches.',
  },
  'checks.memory': {
    kind: 'bytes',
    default: 2 * 1024 ** 3,
    help: 'Memory that one command of acceptance checks may use.',
  },
  'checks.disk': {
    kind: 'bytes',
    default: 4 * 1024 ** 3,
    help: 'Disk space that the commands of one pull request may use.',
  },
  'checks.processes': {
    kind: 'number',
    default: 512,
    help: 'Processes that one command of acceptance checks may have.',
  },
  'checks.readable': {
    kind: 'list',
    default: [],
    help: 'Folders with programs, besides those of the system, that commands of acceptance checks may read.',
  },
  'checks.keep_days': {
    kind: 'number',
    default: 90,
    help: 'How long the output of acceptance checks is kept, in days.',
  },
  'backups.to': {
    kind: 'text',
    default: null,
    help: 'Where backups go: a directory, or s3://bucket/folder; backups in the data directory unless set.',
  },
  'backups.every': {
    kind: 'text',
    default: null,
    none: true,
    help: 'How often one is made by itself, such as 24h or 6h; never unless set.',
  },
  'backups.verify_every': {
    kind: 'text',
    default: null,
    none: true,
    help: 'How often the newest one is restored and checked, such as 7d; never unless set.',
  },
  'backups.keep_last': {
    kind: 'number',
    default: 7,
    help: 'How many of the newest backups are kept.',
  },
  'backups.keep_daily': {
    kind: 'number',
    default: 7,
    help: 'For how many days the newest backup of the day is kept.',
  },
  'backups.keep_weekly': {
    kind: 'number',
    default: 5,
    help: 'For how many weeks the newest backup of the week is kept.',
  },
  'backups.keep_monthly': {
    kind: 'number',
    default: 12,
    help: 'For how many months the newest backup of the month is kept.',
  },
  'backups.recipients': {
    kind: 'list',
    default: [],
    help: 'Public keys of age (age1…) that backups are encrypted to; only then do they hold the installation key and hearth.toml.',
  },
  'backups.identity': {
    kind: 'text',
    default: null,
    help: 'A file with an age identity, for checking encrypted backups here.',
  },
  'backups.s3_endpoint': {
    kind: 'text',
    default: null,
    help: "The store's address, such as https://s3.example.com; Amazon's unless set.",
  },
  'backups.s3_region': { kind: 'text', default: 'us-east-1', help: 'The region of the bucket.' },
  'backups.s3_access_key': { kind: 'text', default: null, help: 'The access key of the store.' },
  'backups.s3_secret_key': {
    kind: 'text',
    default: null,
    help: 'Its secret key; HEARTH_BACKUPS_S3_SECRET_KEY keeps it out of the file.',
  },
  'storage.bucket': {
    kind: 'text',
    default: null,
    help: 'A bucket (s3://bucket/folder) that packs of git and files of releases are copied to as they come; none unless set. Of this forge alone.',
  },
  'storage.endpoint': {
    kind: 'text',
    default: null,
    help: "The store's address, such as https://s3.example.com; Amazon's unless set.",
  },
  'storage.region': { kind: 'text', default: 'us-east-1', help: 'The region of the bucket.' },
  'storage.access_key': { kind: 'text', default: null, help: 'The access key of the store.' },
  'storage.secret_key': {
    kind: 'text',
    default: null,
    help: 'Its secret key; HEARTH_STORAGE_SECRET_KEY keeps it out of the file.',
  },
  'storage.local_bytes': {
    kind: 'bytes',
    default: null,
    none: true,
    help: 'How much of what is in storage.bucket stays on this machine as well, such as 20G; all of it unless set. What was not used for longest goes first, and comes back when it is asked for.',
  },
  'metrics.token': {
    kind: 'text',
    default: null,
    help: 'Whoever sends it as a bearer token may read /metrics; site administrators may in any case.',
  },
  'metrics.allow': {
    kind: 'list',
    default: [],
    help: 'Addresses and blocks from which /metrics may be read without a token. Not 127.0.0.1 behind a proxy on this machine, unless proxy.trusted names it.',
  },
  'limits.rate': {
    kind: 'boolean',
    default: false,
    help: 'Whether requests are counted by token, sign-in or address, and refused above the documented numbers a minute.',
  },
  'limits.proof_of_work': {
    kind: 'boolean',
    default: true,
    help: 'Whether signed-out readers of more than 60 costly pages in 10 minutes prove some work, as crawlers will not.',
  },
  'limits.disk_reserve': {
    kind: 'bytes',
    default: 64 * 1024 ** 2,
    help: 'While the disk of the data directory has less room than this, changes are refused and reads go on.',
  },
  'archives.max_files': {
    kind: 'number',
    none: true,
    default: 10_000,
    help: 'The most files in an archive to download; none lifts it.',
  },
  'archives.max_bytes': {
    kind: 'bytes',
    none: true,
    default: 24 * 1024 ** 2,
    help: 'The most bytes of files in an archive to download; none lifts it.',
  },
  'releases.max_asset_bytes': {
    kind: 'bytes',
    default: 2 * 1024 ** 3,
    help: 'The largest file that a release takes.',
  },
  'git.workers': {
    kind: 'number',
    default: Math.max(1, Math.min(4, availableParallelism())),
    help: 'Threads for work on packs, diffs and history.',
  },
  'git.concurrency': {
    kind: 'number',
    default: 2 * availableParallelism(),
    help: 'Pack operations that run at once; others wait.',
  },
  'git.places_per_caller': {
    kind: 'number',
    default: Math.max(1, 2 * availableParallelism() - 1),
    help: 'Transfers of git at once of one caller (an account, or an address without one); more of the same caller wait.',
  },
  'git.memory_budget': {
    kind: 'bytes',
    default: 256 * 1024 ** 2,
    help: 'Memory that the git engine may hold in caches and buffers.',
  },
  'git.kept_bytes': {
    kind: 'bytes',
    default: 2 * 1024 ** 3,
    help: 'Disk for answers to fetches that are asked for again and again; 0 keeps none.',
  },
  'git.max_object_bytes': {
    kind: 'bytes',
    default: 256 * 1024 ** 2,
    help: 'The largest file, or other object, that a push may hold.',
  },
  'git.max_pack_bytes': {
    kind: 'bytes',
    default: 4 * 1024 ** 3,
    help: 'The largest pack that one push may send.',
  },
}

/** Settings whose value is nobody else's to read. */
const SECRET = new Set([
  'mail.url',
  'sso.oidc',
  'sso.ldap.bind_password',
  'backups.s3_access_key',
  'backups.s3_secret_key',
  'storage.access_key',
  'storage.secret_key',
  'metrics.token',
])

const variable = (name: string): string => `HEARTH_${name.replaceAll('.', '_').toUpperCase()}`

/** Variables of the program that are not settings. */
const OTHER_VARIABLES = new Set(['HEARTH_CONFIG', 'HEARTH_TOKEN', 'HEARTH_URL', 'HEARTH_CHROMIUM'])

function read(
  name: string,
  { kind, words, none }: Setting,
  value: unknown,
  where: string,
): unknown {
  if (none && value === 'none') return null
  const wrong = (what: string): never => {
    throw new ConfigError(`${where}: ${name} ${what}, not ${JSON.stringify(value)}`)
  }
  switch (kind) {
    case 'text':
      if (typeof value !== 'string' || value === '') return wrong('must be text')
      if (words && !words.includes(value)) return wrong(`must be one of ${words.join(', ')}`)
      return value
    case 'boolean':
      if (typeof value === 'boolean') return value
      return (
        { true: true, '1': true, false: false, '0': false }[String(value)] ??
        wrong('must be true or false')
      )
    case 'number': {
      const number = typeof value === 'number' ? value : Number(value === '' ? Number.NaN : value)
      return Number.isSafeInteger(number) && number >= 0 ? number : wrong('must be a whole number')
    }
    case 'bytes': {
      const match = /^(\d+)\s*(k|m|g)?i?b?$/i.exec(String(value))
      if (!match) return wrong('must be a size such as 512M')
      return Number(match[1]) * 1024 ** ['', 'k', 'm', 'g'].indexOf((match[2] ?? '').toLowerCase())
    }
    case 'tables':
      return tables(value) ?? wrong('must be a list of tables')
    case 'list':
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
      return typeof value === 'string'
        ? value
            .split(',')
            .map((item) => item.trim())
            .filter(Boolean)
        : wrong('must be a list of texts')
  }
}

/** Tables of the file, or the same as JSON in a variable. Null for anything else. */
function tables(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : null
    return Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}

/** The file's tables as `section.key` names. */
function flatten(table: Record<string, unknown>, prefix = ''): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value as Record<string, unknown>, `${prefix}${key}.`)
      : [[`${prefix}${key}`, value]],
  )
}

function readFile(path: string): Map<string, unknown> {
  let parsed: Record<string, unknown>
  try {
    parsed = Bun.TOML.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  } catch (error) {
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
  const values = new Map<string, unknown>()
  for (const [name, value] of flatten(parsed)) {
    const setting = SETTINGS[name]
    if (!setting)
      throw new ConfigError(
        `${path}: there is no setting ${name}; did you mean ${nearest(name, Object.keys(SETTINGS))}?`,
      )
    values.set(name, read(name, setting, value, path))
  }
  return values
}

export type Config = {
  readonly listen: {
    readonly host: string
    readonly port: number /** A path in place of both. */
    readonly unix: string | null
  }
  readonly tls: TlsConfig
  /**
   * What systemd hands over: sockets, where to tell how it goes, and how often at least, in
   * milliseconds.
   */
  readonly supervisor: {
    readonly sockets: number
    readonly notify: string | null
    readonly watchdog_ms: number | null
  }
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly json: boolean }
  /** The settings once the real address is known (port 0 and a `site_url` that was not set). */
  settings(address: { host: string; port: number }): Settings
  readonly data: string
}

/** Where certificates come from, and where requests in the clear are sent on. */
export type TlsConfig = {
  readonly files: { readonly certificate: string; readonly key: string } | null
  readonly acme: {
    readonly domains: readonly string[]
    readonly email: string | null
    readonly directory: string
    readonly challenge: 'tls-alpn-01' | 'http-01'
    readonly ca: string | null
  } | null
  readonly redirect: { readonly host: string; readonly port: number } | null
}

/** Gives ConfigError for what does not belong together. */
function tlsConfig(value: (name: string) => unknown, place: (path: string) => string): TlsConfig {
  const text = (name: string) => value(name) as string | null
  const [certificate, key, redirect, ca] = [
    text('tls.certificate'),
    text('tls.key'),
    text('tls.redirect'),
    text('acme.ca_file'),
  ]
  const domains = (value('acme.domains') as string[]).map((name) => name.toLowerCase())
  const challenge = text('acme.challenge') as 'tls-alpn-01' | 'http-01'
  if ((certificate === null) !== (key === null))
    throw new ConfigError('tls.certificate and tls.key go together: set both')
  if (certificate !== null && domains.length > 0)
    throw new ConfigError(
      'certificates come from tls.certificate or from acme.domains, not from both',
    )
  const wrong = domains.find(
    (name) =>
      !/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(name),
  )
  if (wrong !== undefined)
    throw new ConfigError(`acme.domains: ${JSON.stringify(wrong)} is not the name of a host`)
  const directory = text('acme.directory') ?? ''
  if (!URL.canParse(directory) || !directory.startsWith('https:'))
    throw new ConfigError('acme.directory must be an https address')
  if (domains.length > 0 && challenge === 'http-01' && redirect === null)
    throw new ConfigError(
      'acme.challenge http-01 is answered at tls.redirect, such as 0.0.0.0:80: set it',
    )
  return {
    files:
      certificate === null || key === null
        ? null
        : { certificate: place(certificate), key: place(key) },
    acme:
      domains.length === 0
        ? null
        : {
            domains,
            email: text('acme.email'),
            directory,
            challenge,
            ca: ca === null ? null : readText(place(ca), 'acme.ca_file'),
          },
    redirect: redirect === null ? null : parseListen(redirect),
  }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`${name}: ${path} cannot be read`)
  }
}

/**
 * What systemd says in the environment (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3));
 * what is meant for another process does not count.
 */
function supervisorOf(environment: Record<string, string | undefined>): Config['supervisor'] {
  const mine = (name: string) =>
    environment[name] === undefined || Number(environment[name]) === process.pid
  const watchdog = Number(environment['WATCHDOG_USEC'])
  return {
    sockets:
      environment['LISTEN_PID'] !== undefined && mine('LISTEN_PID')
        ? Number(environment['LISTEN_FDS'] ?? 0) || 0
        : 0,
    notify: environment['NOTIFY_SOCKET'] || null,
    watchdog_ms: watchdog > 0 && mine('WATCHDOG_PID') ? watchdog / 1000 : null,
  }
}

function parsePlace(text: string): Config['listen'] {
  if (!text.startsWith('unix:')) return { ...parseListen(text), unix: null }
  const path = text.slice('unix:'.length)
  if (!isAbsolute(path) || Buffer.byteLength(path) > 100)
    throw new ConfigError(
      `listen must be unix: and an absolute path of at most 100 bytes, not ${JSON.stringify(text)}`,
    )
  return { host: 'localhost', port: 0, unix: path }
}

function parseListen(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]*)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65535)
    throw new ConfigError(`listen must be HOST:PORT or unix:/path, not ${JSON.stringify(text)}`)
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port }
}

function parseSiteUrl(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new ConfigError(
      `site_url must be an address such as https://git.example.com, not ${JSON.stringify(text)}`,
    )
  }
  if (
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search ||
    url.hash ||
    url.username
  ) {
    throw new ConfigError(
      `site_url must be http or https with a host and no path, not ${JSON.stringify(text)}`,
    )
  }
  return url.origin
}

/** Puts flags, environment and file together. Gives ConfigError with what is wrong and where. */
export function loadConfig(
  flags: { data?: string; listen?: string; site_url?: string; config?: string } = {},
  environment: Record<string, string | undefined> = process.env,
): Config {
  const fromEnvironment = new Map<string, unknown>()
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const value = environment[variable(name)]
    if (value !== undefined) fromEnvironment.set(name, read(name, setting, value, variable(name)))
  }
  const known = new Set([...Object.keys(SETTINGS).map(variable), ...OTHER_VARIABLES])
  for (const name of Object.keys(environment)) {
    if (name.startsWith('HEARTH_') && !known.has(name)) {
      throw new ConfigError(
        `the environment variable ${name} is not known; did you mean ${nearest(name, [...known])}?`,
      )
    }
  }
  const data = resolve(String(flags.data ?? fromEnvironment.get('data') ?? './data'))
  const named = flags.config ?? environment['HEARTH_CONFIG']
  const path = named ?? join(data, 'hearth.toml')
  if (named !== undefined && !existsSync(named)) throw new ConfigError(`there is no file ${named}`)
  const fromFile = existsSync(path) ? readFile(path) : new Map<string, unknown>()
  const value = (name: keyof typeof SETTINGS): unknown => {
    // What is set to nothing (`none`) is set all the same.
    const set = [fromEnvironment, fromFile].find((values) => values.has(name))
    return set ? set.get(name) : SETTINGS[name]?.default
  }

  const listen = parsePlace(flags.listen ?? String(value('listen')))
  const given = flags.site_url ?? (value('site_url') as string | null)
  const fixedSiteUrl = given === null ? null : parseSiteUrl(given)
  const dataDirectory =
    flags.data !== undefined || fromEnvironment.has('data') || !fromFile.has('data')
      ? data
      : absolute(String(fromFile.get('data')), path)
  const mailUrl = value('mail.url') as string | null
  const sign_up = value('accounts.sign_up') as SignUpMode
  const backups = backupSettings(
    (name) => value(name),
    (text) => absolute(text, path),
  )
  const storage = storageSettings((name) => value(name))
  const tls = tlsConfig(
    (name) => value(name),
    (text) => absolute(text, path),
  )
  const sso = ssoSettings(
    (name) => value(name),
    sign_up,
    (what) => {
      throw new ConfigError(what)
    },
  )

  const flagged: Readonly<Record<string, unknown>> = {
    data: flags.data,
    listen: flags.listen,
    site_url: flags.site_url,
  }
  const configuration = Object.entries(SETTINGS).map(([name, { help }]): Configured => {
    const now = flagged[name] ?? value(name)
    const isSet = now !== null && !(Array.isArray(now) && now.length === 0)
    return {
      name,
      help,
      value: SECRET.has(name) && isSet ? 'set' : now,
      source:
        flagged[name] !== undefined
          ? 'flag'
          : fromEnvironment.has(name)
            ? 'environment'
            : fromFile.has(name)
              ? 'file'
              : 'default',
    }
  })

  return {
    listen,
    tls,
    supervisor: supervisorOf(environment),
    data: dataDirectory,
    log: { level: value('log_level') as 'info', json: value('log_format') === 'json' },
    settings: ({ host, port }) => {
      // Nobody can open the address of "every interface" in a browser.
      const shown =
        host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
      const encrypted = tls.files !== null || tls.acme !== null
      const usual = encrypted ? 443 : 80
      const name = tls.acme?.domains[0] ?? shown
      const site_url =
        fixedSiteUrl ??
        `${encrypted ? 'https' : 'http'}://${name}${port === usual || listen.unix !== null ? '' : `:${port}`}`
      return {
        site_url,
        base_url: `${site_url}/api`,
        mcp_url: `${site_url}/mcp`,
        data: dataDirectory,
        configuration,
        version: VERSION,
        development: value('development') as boolean,
        sign_up,
        sso,
        private_by_default: value('repos.private_by_default') as boolean,
        workspaces_per_person: value('workspaces.per_person') as number,
        mcp_origins: value('mcp.origins') as string[],
        trusted_proxies: blocksOf('proxy.trusted', value('proxy.trusted') as string[]),
        outbound_allow: outboundOf(value('outbound.allow') as string[]),
        checks: {
          isolation: value('checks.isolation') as 'required' | 'none',
          network: value('checks.network') as boolean,
          memory: Math.max(64 * 1024 ** 2, value('checks.memory') as number),
          disk: Math.max(16 * 1024 ** 2, value('checks.disk') as number),
          processes: Math.max(16, value('checks.processes') as number),
          readable: (value('checks.readable') as string[]).map((path) => resolve(path)),
          keep_days: Math.max(1, value('checks.keep_days') as number),
        },
        backups,
        storage,
        archives: {
          max_files: value('archives.max_files') as number | null,
          max_bytes: value('archives.max_bytes') as number | null,
        },
        releases: { max_asset_bytes: Math.max(1, value('releases.max_asset_bytes') as number) },
        audit: {
          ip: value('audit.ip') as boolean,
          keep_days: Math.max(30, value('audit.keep_days') as number),
        },
        mail:
          mailUrl === null
            ? null
            : {
                url: mailUrl,
                from:
                  (value('mail.from') as string | null) ??
                  `Hearth <hearth@${new URL(site_url).hostname}>`,
              },
        slow: {
          query_ms: value('log_slow_query_ms') as number,
          git_ms: value('log_slow_git_ms') as number,
        },
        metrics: {
          token: value('metrics.token') as string | null,
          allow: blocksOf('metrics.allow', value('metrics.allow') as string[]),
        },
        limits: {
          rate: value('limits.rate') as boolean,
          proof_of_work: value('limits.proof_of_work') as boolean,
          disk_reserve: value('limits.disk_reserve') as number,
        },
        tls: tls.files
          ? { kind: 'files', domains: [] }
          : tls.acme
            ? { kind: 'acme', domains: tls.acme.domains }
            : null,
        git: {
          places_per_caller: Math.max(1, value('git.places_per_caller') as number),
          workers: value('git.workers') as number,
          concurrency: Math.max(1, value('git.concurrency') as number),
          memory_budget: value('git.memory_budget') as number,
          kept_bytes: value('git.kept_bytes') as number,
          max_object_bytes: value('git.max_object_bytes') as number,
          max_pack_bytes: value('git.max_pack_bytes') as number,
        },
      }
    },
  }
}

/** Gives ConfigError for a span of time that cannot be read. */
function backupSettings(
  value: (name: string) => unknown,
  place: (path: string) => string,
): Settings['backups'] {
  const text = (name: string) => value(`backups.${name}`) as string | null
  const span = (name: string): number | null => {
    const given = text(name)
    if (given === null) return null
    if (!/^[1-9]\d{0,4}[mhd]$/.test(given))
      throw new ConfigError(
        `backups.${name} must be a span such as 24h or 7d, or none, not ${JSON.stringify(given)}`,
      )
    return duration(given)
  }
  const [to, identity, access_key, secret_key] = [
    text('to'),
    text('identity'),
    text('s3_access_key'),
    text('s3_secret_key'),
  ]
  const count = (name: string) => value(`backups.keep_${name}`) as number
  return {
    to: to === null || to.includes('://') ? to : place(to),
    every_ms: span('every'),
    verify_every_ms: span('verify_every'),
    keep: {
      last: count('last'),
      daily: count('daily'),
      weekly: count('weekly'),
      monthly: count('monthly'),
    },
    recipients: value('backups.recipients') as string[],
    identity: identity === null ? null : place(identity),
    s3:
      access_key === null || secret_key === null
        ? null
        : {
            endpoint: text('s3_endpoint'),
            region: text('s3_region') ?? 'us-east-1',
            access_key,
            secret_key,
          },
  }
}

/** Gives ConfigError for what is no bucket, and for one without its keys. */
function storageSettings(value: (name: string) => unknown): Settings['storage'] {
  const text = (name: string) => value(`storage.${name}`) as string | null
  const [address, access_key, secret_key] = [text('bucket'), text('access_key'), text('secret_key')]
  if (address === null) return null
  const place = parseBucket(address)
  if (!place)
    throw new ConfigError(
      `storage.bucket must be s3://BUCKET or s3://BUCKET/FOLDER, not ${JSON.stringify(address)}`,
    )
  if (access_key === null || secret_key === null)
    throw new ConfigError(
      'storage.bucket needs storage.access_key and storage.secret_key: set both',
    )
  return {
    ...place,
    s3: {
      endpoint: text('endpoint'),
      region: text('region') ?? 'us-east-1',
      access_key,
      secret_key,
    },
    local_bytes: value('storage.local_bytes') as number | null,
  }
}

/** Gives ConfigError for an entry that is neither an address nor a block of them. */
function blocksOf(name: string, entries: string[]): string[] {
  const wrong = entries.find((entry) => parseBlock(entry) === null)
  if (wrong !== undefined)
    throw new ConfigError(
      `${name}: ${JSON.stringify(wrong)} is neither an address nor a block such as 10.0.0.0/8`,
    )
  return entries
}

/** Gives ConfigError for an entry that cannot be read. */
function outboundOf(entries: string[]): string[] {
  try {
    parseOutboundRules(entries)
  } catch (error) {
    throw new ConfigError(
      `outbound.allow: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  return entries
}

/** What the client side takes from the environment: which forge, and a token for it. */
export const clientSettings = (
  environment: Record<string, string | undefined> = process.env,
): { url: string | undefined; token: string | undefined } => ({
  url: environment['HEARTH_URL'] || undefined,
  token: environment['HEARTH_TOKEN'] || undefined,
})

/** Where the client side keeps its tokens (XDG Base Directory Specification). */
export function credentialsPath(
  environment: Record<string, string | undefined> = process.env,
): string {
  const home = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config')
  return join(home, 'hearth', 'credentials.json')
}

const absolute = (path: string, file: string): string =>
  isAbsolute(path) ? path : resolve(file, '..', path)
