/** Settings of the listener and of encrypted connections. */
import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { ConfigError, type ConfigValues } from './config-values.ts'

export type HostAndPort = { readonly host: string; readonly port: number }

/** Where the server listens: a port, or the path of a Unix socket in place of it. */
export type ListenAddress = HostAndPort & { readonly unix: string | null }

/** Where certificates come from, and where unencrypted requests are redirected. */
export type TlsConfig = {
  readonly files: { readonly certificate: string; readonly key: string } | null
  readonly acme: {
    readonly domains: readonly string[]
    readonly email: string | null
    readonly directory: string
    readonly challenge: 'tls-alpn-01' | 'http-01'
    /** Certificate authorities of the directory, in PEM; null for the system's. */
    readonly ca: string | null
  } | null
  readonly redirect: HostAndPort | null
}

/** The maximum length of the path of a Unix socket is 107 bytes on Linux and 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 100

/** Reads `HOST:PORT` or `unix:/path`. Throws ConfigError. */
export function parseListenAddress(text: string): ListenAddress {
  if (!text.startsWith('unix:')) return { ...parseHostAndPort(text), unix: null }
  const path = text.slice('unix:'.length)
  if (!isAbsolute(path) || Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES)
    throw new ConfigError(
      `listen must be unix: and an absolute path of at most 100 bytes, not ${JSON.stringify(text)}`,
    )
  return { host: 'localhost', port: 0, unix: path }
}

function parseHostAndPort(text: string): HostAndPort {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]*)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65535)
    throw new ConfigError(`listen must be HOST:PORT or unix:/path, not ${JSON.stringify(text)}`)
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port }
}

const HOST_NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/

/** Throws ConfigError for settings that contradict each other. */
export function tlsConfig(values: ConfigValues): TlsConfig {
  const certificate = values.get('tls.certificate')
  const key = values.get('tls.key')
  const redirect = values.get('tls.redirect')
  if ((certificate === null) !== (key === null))
    throw new ConfigError('tls.certificate and tls.key go together: set both')
  if (certificate !== null && values.get('acme.domains').length > 0)
    throw new ConfigError(
      'certificates come from tls.certificate or from acme.domains, not from both',
    )
  return {
    files:
      certificate === null || key === null
        ? null
        : { certificate: values.resolvePath(certificate), key: values.resolvePath(key) },
    acme: acmeConfig(values),
    redirect: redirect === null ? null : parseHostAndPort(redirect),
  }
}

function acmeConfig(values: ConfigValues): TlsConfig['acme'] {
  const domains = values.get('acme.domains').map((name) => name.toLowerCase())
  const invalid = domains.find((name) => !HOST_NAME.test(name))
  if (invalid !== undefined)
    throw new ConfigError(`acme.domains: ${JSON.stringify(invalid)} is not the name of a host`)
  const directory = values.get('acme.directory')
  if (!URL.canParse(directory) || !directory.startsWith('https:'))
    throw new ConfigError('acme.directory must be an https address')
  if (domains.length === 0) return null
  const challenge = values.get('acme.challenge')
  if (challenge === 'http-01' && values.get('tls.redirect') === null)
    throw new ConfigError(
      'acme.challenge http-01 is answered at tls.redirect, such as 0.0.0.0:80: set it',
    )
  const caFile = values.get('acme.ca_file')
  return {
    domains,
    email: values.get('acme.email'),
    directory,
    challenge,
    ca: caFile === null ? null : readText(values.resolvePath(caFile), 'acme.ca_file'),
  }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError(`${name}: ${path} cannot be read`)
  }
}
