/**
 * The configuration of the program. This file is the only reader of the environment. The settings
 * themselves are declared in `core/setting-list.ts`.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Settings } from '#core/settings.ts'
import { parseBlock } from '#lib/net.ts'
import { parseHostPort } from '#lib/outbound/host-port.ts'
import { parseOutboundRules } from '#lib/outbound/outbound.ts'
import { copySettings } from './config-storage.ts'
import { ssoSettings } from './config-sso.ts'
import { parseListenAddress, tlsConfig, type ListenAddress, type TlsConfig } from './config-tls.ts'
import {
  ConfigError,
  ConfigValues,
  readConfigFile,
  readEnvironment,
  type ConfigFlags,
  type Environment,
} from './config-values.ts'
import packageJson from '../package.json' with { type: 'json' }

export { ConfigError } from './config-values.ts'
export type { TlsConfig } from './config-tls.ts'

export const VERSION: string = packageJson.version

/** What systemd passes to the process. */
export type Supervisor = {
  /** The number of sockets that it hands over. */
  readonly sockets: number
  /** The socket for notifications (sd_notify(3)); null without systemd. */
  readonly notify: string | null
  /** The interval in which it expects a notification; null without a watchdog. */
  readonly watchdog_ms: number | null
}

export type Config = {
  readonly listen: ListenAddress
  readonly tls: TlsConfig
  readonly supervisor: Supervisor
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly json: boolean }
  /** The settings for an address. A `site_url` that is not set derives from host and port. */
  settings(address: { host: string; port: number }): Settings
  readonly data: string
}

/**
 * Reads the variables of systemd (sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3)).
 * Variables for another process do not count.
 */
function supervisorOf(environment: Environment): Supervisor {
  const isForThisProcess = (name: string) =>
    environment[name] === undefined || Number(environment[name]) === process.pid
  const watchdogUs = Number(environment.WATCHDOG_USEC)
  const hasSockets = environment.LISTEN_PID !== undefined && isForThisProcess('LISTEN_PID')
  return {
    sockets: hasSockets ? Number(environment.LISTEN_FDS ?? 0) || 0 : 0,
    notify: environment.NOTIFY_SOCKET || null,
    watchdog_ms: watchdogUs > 0 && isForThisProcess('WATCHDOG_PID') ? watchdogUs / 1000 : null,
  }
}

function parseSiteUrl(text: string): string {
  const url = URL.parse(text)
  if (!url)
    throw new ConfigError(
      `site_url must be an address such as https://git.example.com, not ${JSON.stringify(text)}`,
    )
  const isOrigin =
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username
  if (!isOrigin)
    throw new ConfigError(
      `site_url must be http or https with a host and no path, not ${JSON.stringify(text)}`,
    )
  return url.origin
}

/** The public address of a forge whose `site_url` is not set. */
function derivedSiteUrl(
  { tls, listen }: Pick<Config, 'tls' | 'listen'>,
  { host, port }: { host: string; port: number },
): string {
  // No browser can open the address of all interfaces.
  const isAnyAddress = host === '0.0.0.0' || host === '::'
  const hostInUrl = isAnyAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const isEncrypted = tls.files !== null || tls.acme !== null
  const name = tls.acme?.domains[0] ?? hostInUrl
  const isDefaultPort = port === (isEncrypted ? 443 : 80) || listen.unix !== null
  return `${isEncrypted ? 'https' : 'http'}://${name}${isDefaultPort ? '' : `:${port}`}`
}

/** Combines flags, environment and file. Throws ConfigError with the fault and its place. */
export function loadConfig(
  flags: ConfigFlags & { config?: string } = {},
  environment: Environment = process.env,
): Config {
  const fromEnvironment = readEnvironment(environment)
  const data = resolve(String(flags.data ?? fromEnvironment.get('data') ?? './data'))
  const named = flags.config ?? environment.HEARTH_CONFIG
  const path = named ?? join(data, 'hearth.toml')
  if (named !== undefined && !existsSync(named)) throw new ConfigError(`there is no file ${named}`)
  const fromFile = existsSync(path) ? readConfigFile(path) : new Map<string, unknown>()
  const values = new ConfigValues(flags, fromEnvironment, fromFile, path)

  const isDataFromFile =
    flags.data === undefined && !fromEnvironment.has('data') && fromFile.has('data')
  const dataDirectory = isDataFromFile ? values.resolvePath(values.get('data')) : data
  const listen = parseListenAddress(flags.listen ?? values.get('listen'))
  const tls = tlsConfig(values)
  const configuredUrl = flags.site_url ?? values.get('site_url')
  const fixedSiteUrl = configuredUrl === null ? null : parseSiteUrl(configuredUrl)
  const base = settingsOf(values, tls, dataDirectory)
  return {
    listen,
    tls,
    supervisor: supervisorOf(environment),
    data: dataDirectory,
    log: { level: values.get('log_level'), json: values.get('log_format') === 'json' },
    settings: (address) => {
      const site_url = fixedSiteUrl ?? derivedSiteUrl({ tls, listen }, address)
      return {
        ...base,
        site_url,
        base_url: `${site_url}/api`,
        mcp_url: `${site_url}/mcp`,
        mail: mailSettings(values, site_url),
      }
    },
  }
}

type SettingsOfAddress = Pick<Settings, 'site_url' | 'base_url' | 'mcp_url' | 'mail'>

/** The settings that do not depend on the address. */
function settingsOf(
  values: ConfigValues,
  tls: TlsConfig,
  data: string,
): Omit<Settings, keyof SettingsOfAddress> {
  const sign_up = values.get('accounts.sign_up')
  return {
    data,
    configuration: values.list(),
    version: VERSION,
    development: values.get('development'),
    sign_up,
    sso: ssoSettings(values, sign_up),
    private_by_default: values.get('repos.private_by_default'),
    workspaces_per_person: values.get('workspaces.per_person'),
    mcp_origins: values.get('mcp.origins'),
    trusted_proxies: requireBlocks(values, 'proxy.trusted'),
    outbound_allow: requireOutboundRules(values, 'outbound.allow'),
    integrations_allow: requireOutboundRules(values, 'integrations.allow'),
    agents: { at_once: values.get('agents.at_once'), hosts: requireHosts(values) },
    checks: checkSettings(values),
    jobs: jobSettings(values),
    ...copySettings(values),
    archives: {
      max_files: values.get('archives.max_files'),
      max_bytes: values.get('archives.max_bytes'),
    },
    releases: { max_asset_bytes: values.get('releases.max_asset_bytes') },
    ssh: sshAddress(values.get('ssh.listen')),
    lfs: { max_bytes: values.get('lfs.max_bytes') },
    packages: {
      max_file_bytes: values.get('packages.max_file_bytes'),
      max_layer_bytes: values.get('packages.max_layer_bytes'),
    },
    attachments: { max_bytes: values.get('attachments.max_bytes') },
    security: securityContacts(values.get('security.contact'), values.get('security.policy')),
    images: { external: values.get('images.external') },
    audit: { ip: values.get('audit.ip'), keep_days: values.get('audit.keep_days') },
    slow: { query_ms: values.get('log_slow_query_ms'), git_ms: values.get('log_slow_git_ms') },
    metrics: { token: values.get('metrics.token'), allow: requireBlocks(values, 'metrics.allow') },
    limits: {
      rate: values.get('limits.rate'),
      proof_of_work: values.get('limits.proof_of_work'),
      disk_reserve: values.get('limits.disk_reserve'),
    },
    tls: tls.files
      ? { kind: 'files', domains: [] }
      : tls.acme
        ? { kind: 'acme', domains: tls.acme.domains }
        : null,
    git: gitSettings(values),
  }
}

function sshAddress(text: string | null): Settings['ssh'] {
  if (text === null || text === '') return null
  const { host, port, unix } = parseListenAddress(text)
  if (unix !== null) throw new ConfigError('ssh.listen is an address with a port')
  return { host, port }
}

/** Throws ConfigError for an address that RFC 9116 does not take. */
function securityContacts(contact: readonly string[], policy: string | null): Settings['security'] {
  const isOneLine = (text: string) => /^[\x21-\x7e]{1,500}$/.test(text)
  const bad = contact.find((text) => !isOneLine(text) || !/^(?:mailto:|https:\/\/|tel:)/.test(text))
  if (bad !== undefined)
    throw new ConfigError(`security.contact takes mailto:, https: and tel: addresses, not ${bad}`)
  if (policy !== null && !(isOneLine(policy) && policy.startsWith('https://')))
    throw new ConfigError('security.policy is an https: address')
  return { contact, policy }
}

function mailSettings(values: ConfigValues, siteUrl: string): Settings['mail'] {
  const url = values.get('mail.url')
  if (url === null) return null
  const from = values.get('mail.from') ?? `Hearth <hearth@${new URL(siteUrl).hostname}>`
  return { url, from }
}

const jobSettings = (values: ConfigValues): Settings['jobs'] => ({
  local: values.get('jobs.local'),
  network: values.get('jobs.network'),
  containers: values.get('jobs.containers'),
  keep_days: values.get('jobs.keep_days'),
  cache_bytes: values.get('jobs.cache_bytes'),
  actions_from: requireForges(values, 'jobs.actions_from'),
  actions_url: values.get('jobs.actions_url'),
})

const checkSettings = (values: ConfigValues): Settings['checks'] => ({
  isolation: values.get('checks.isolation'),
  network: values.get('checks.network'),
  memory: values.get('checks.memory'),
  disk: values.get('checks.disk'),
  processes: values.get('checks.processes'),
  readable: values.get('checks.readable').map((path) => resolve(path)),
  keep_days: values.get('checks.keep_days'),
})

const gitSettings = (values: ConfigValues): Settings['git'] => ({
  places_per_caller: values.get('git.places_per_caller'),
  workers: values.get('git.workers'),
  concurrency: values.get('git.concurrency'),
  memory_budget: values.get('git.memory_budget'),
  kept_bytes: values.get('git.kept_bytes'),
  max_object_bytes: values.get('git.max_object_bytes'),
  max_pack_bytes: values.get('git.max_pack_bytes'),
  old_faults: values.get('git.old_faults'),
})

/** Throws ConfigError for an entry that is neither an address nor a block of addresses. */
function requireBlocks(values: ConfigValues, name: 'proxy.trusted' | 'metrics.allow'): string[] {
  const entries = values.get(name)
  const invalid = entries.find((entry) => parseBlock(entry) === null)
  if (invalid !== undefined)
    throw new ConfigError(
      `${name}: ${JSON.stringify(invalid)} is neither an address nor a block such as 10.0.0.0/8`,
    )
  return entries
}

/** Throws ConfigError for what is no address of a forge. */
function requireForges(values: ConfigValues, name: 'jobs.actions_from'): string[] {
  const entries = values.get(name)
  for (const entry of entries) {
    const url = URL.parse(entry)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
      throw new ConfigError(`${name}: ${entry} is no address such as https://github.com`)
  }
  return entries
}

/** Throws ConfigError for an entry of `agents.hosts` that is no host. */
function requireHosts(values: ConfigValues): string[] {
  const hosts = values.get('agents.hosts').map((entry) => {
    const host = parseHostPort(entry)
    if (host === null)
      throw new ConfigError(
        `agents.hosts: ${JSON.stringify(entry)} is no host such as registry.npmjs.org or mirror.example:8443`,
      )
    return host
  })
  return [...new Set(hosts)]
}

/** Throws ConfigError for an entry that is no outbound rule. */
function requireOutboundRules(
  values: ConfigValues,
  name: 'outbound.allow' | 'integrations.allow',
): string[] {
  const entries = values.get(name)
  try {
    parseOutboundRules(entries)
  } catch (error) {
    throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
  return entries
}

/** The forge and token that commands of the client use. */
export const clientSettings = (
  environment: Environment = process.env,
): { url: string | undefined; token: string | undefined } => ({
  url: environment.HEARTH_URL || undefined,
  token: environment.HEARTH_TOKEN || undefined,
})

/** Whether git allows questions at the terminal: `GIT_TERMINAL_PROMPT` (git(1)), true when unset. */
export const isTerminalPromptAllowed = (environment: Environment = process.env): boolean =>
  !/^(0|false|no|off)?$/i.test(environment.GIT_TERMINAL_PROMPT ?? '1')

/** The file with the tokens of the client (XDG Base Directory Specification). */
export function credentialsPath(environment: Environment = process.env): string {
  const home = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config')
  return join(home, 'hearth', 'credentials.json')
}
