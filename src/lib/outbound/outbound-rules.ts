/**
 * Which addresses outbound requests may reach. Users name these addresses, so only public addresses
 * are allowed, and what the setting `outbound.allow` adds. The name is resolved once, every address
 * of it is checked, and the connection goes to a checked address. So a name cannot resolve to a
 * private address the second time (DNS rebinding).
 */
import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { inBlock, isPublicAddress, parseAddress, parseBlock, type Block } from '../net.ts'

/** The address is not allowed, the name has none, the other side does not respond, or TLS failed. */
export type OutboundFault = 'blocked_address' | 'dns' | 'refused' | 'timeout' | 'tls'

/**
 * An outbound request failed. The message is for the user who named the address, and never tells
 * what a name resolves to. `detail` says it too. It is for those who may see `outbound.allow`.
 */
export class OutboundError extends Error {
  constructor(
    message: string,
    readonly fault: OutboundFault = 'refused',
    readonly detail: string = message,
  ) {
    super(message)
  }
}

/** A host, a block of addresses or a socket that may be reached although it is not public. */
type OutboundRule = {
  readonly host: string | null
  readonly block: Block | null
  /** The path of a unix socket. */
  readonly socket: string | null
  readonly allowsHttp: boolean
}
export type OutboundRules = readonly OutboundRule[]

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

/** The path in an address such as `unix:/run/models.sock`; null for any other. */
export const socketOf = (address: string): string | null =>
  /^unix:(\/[^\s\0]+)$/.exec(address)?.[1] ?? null

/**
 * Parses the setting: host names, addresses and blocks, each reached over https. `http://` before
 * an entry also allows unencrypted connections. `unix:/path` allows one socket of this machine.
 * Throws a TypeError that names an invalid entry.
 */
export function parseOutboundRules(entries: readonly string[]): OutboundRules {
  return entries.map((entry) => {
    const socket = socketOf(entry)
    if (socket !== null) return { host: null, block: null, socket, allowsHttp: false }
    const text = entry
      .replace(/^https?:\/\//, '')
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase()
    const block = parseBlock(text)
    if (!block && !HOST_NAME.test(text))
      throw new TypeError(
        `${JSON.stringify(entry)} is neither a host name nor an address nor a block such as 10.0.0.0/8 nor a socket such as unix:/run/models.sock`,
      )
    return {
      host: block ? null : text,
      block,
      socket: null,
      allowsHttp: entry.startsWith('http://'),
    }
  })
}

export type ResolvedAddress = { readonly address: string; readonly family: number }
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

export const resolveByDns: Resolve = (host) => lookup(host, { all: true })

/** Whether an address belongs to this machine, whose services are not for users to reach. */
const isOwnAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((list) => list?.some((one) => one.address === address))

const REMEDY = 'an administrator may allow it with the setting outbound.allow'

export type CheckOptions = {
  /** Allows http to public addresses, for requests without secrets. */
  readonly allowHttp?: boolean
  readonly resolve?: Resolve
}

/** Throws OutboundError for a socket that no rule names by its very path. */
export function checkSocket(socket: string, rules: OutboundRules): { readonly socket: string } {
  if (!rules.some((rule) => rule.socket === socket))
    throw new OutboundError(
      `unix:${socket} is not reached from here; ${REMEDY}, by the entry unix:${socket}`,
      'blocked_address',
    )
  return { socket }
}

export type CheckedAddress = { readonly address: string; readonly family: 4 | 6 }

/** Throws for an address that no outbound request may have, before its name is resolved. */
function requireHttpUrl(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError(
      `${url.protocol} addresses are not reached from here`,
      'blocked_address',
    )
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('an address must not hold a name or password', 'blocked_address')
}

/** Names the entry, because one without http:// allows https only. */
const httpRefused = (url: URL): OutboundError =>
  new OutboundError(
    `${url.origin} must be reached over https; ${REMEDY}, by the entry http://${url.hostname}`,
    'blocked_address',
  )

const isPublic = (address: string): boolean => {
  const bytes = parseAddress(address)
  return bytes !== null && isPublicAddress(bytes) && !isOwnAddress(address)
}

/** Names the entry, because an unencrypted address needs http:// before it. */
function notPublic(url: URL, host: string, address: string): OutboundError {
  const entry = url.protocol === 'http:' ? `http://${url.hostname}` : host
  const end = `is not a public address; ${REMEDY}, by the entry ${entry}`
  return host === address
    ? new OutboundError(`${host} ${end}`, 'blocked_address')
    : new OutboundError(
        `${host} ${end}`,
        'blocked_address',
        `${host} is at ${address}, which ${end}`,
      )
}

/**
 * The address to connect to. Throws OutboundError when an address of the name is not allowed, or
 * when the name has no address. A name that no rule can allow over http is not resolved.
 */
export async function checkAddress(
  url: URL,
  rules: OutboundRules,
  { allowHttp = false, resolve = resolveByDns }: CheckOptions = {},
): Promise<CheckedAddress> {
  requireHttpUrl(url)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const isHttp = url.protocol === 'http:'
  const usable = rules.filter(
    (rule) =>
      rule.socket === null &&
      (!isHttp || rule.allowsHttp) &&
      (rule.block !== null || rule.host === host),
  )
  if (isHttp && !allowHttp && usable.length === 0) throw httpRefused(url)
  const literal = parseAddress(host)
  const addresses = literal
    ? [{ address: host, family: literal.length === 4 ? 4 : 6 }]
    : await resolve(host).catch(() => [])
  const [first] = addresses
  if (!first) throw new OutboundError(`the name ${host} has no address`, 'dns')
  for (const { address } of addresses) {
    const bytes = parseAddress(address)
    const isAllowed =
      bytes !== null && usable.some(({ block }) => block === null || inBlock(bytes, block))
    if (isAllowed) continue
    if (isHttp && !allowHttp) throw httpRefused(url)
    if (!isPublic(address)) throw notPublic(url, host, address)
  }
  return { address: first.address, family: first.family === 6 ? 6 : 4 }
}
