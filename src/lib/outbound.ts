/**
 * Requests to addresses that strangers name. The name is looked up once, every address it has is
 * checked, and the connection goes to the checked one, so that a name cannot answer differently the
 * second time. No redirect is followed; TLS verifies the name as usual. What an installation allows
 * besides public addresses is in the setting `outbound.allow`.
 */
import { lookup as lookUp } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { networkInterfaces } from 'node:os'
import { inBlock, isPublicAddress, parseAddress, parseBlock, type Block } from './net.ts'

/**
 * What went wrong, in one word: the address is not allowed, the name has none, nobody answered (in
 * time), or TLS failed.
 */
export type OutboundFault = 'blocked_address' | 'dns' | 'refused' | 'timeout' | 'tls'

/**
 * Why a request was not made or had no usable answer; its text is for the person who named the
 * address.
 */
export class OutboundError extends Error {
  constructor(
    message: string,
    readonly fault: OutboundFault = 'refused',
  ) {
    super(message)
  }
}

type Allowed = {
  readonly host: string | null
  readonly block: Block | null
  readonly http: boolean
}
export type OutboundRules = readonly Allowed[]

/**
 * Reads the setting: host names, single addresses and blocks of them, each reached over https, or
 * also in the clear when `http://` stands before it. Gives a TypeError with the entry that is none
 * of these.
 */
export function parseOutboundRules(entries: readonly string[]): OutboundRules {
  return entries.map((entry) => {
    const http = entry.startsWith('http://')
    const text = entry
      .replace(/^https?:\/\//, '')
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase()
    const block = parseBlock(text)
    if (
      !block &&
      !/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(text)
    ) {
      throw new TypeError(
        `${JSON.stringify(entry)} is neither a host name nor an address nor a block such as 10.0.0.0/8`,
      )
    }
    return { host: block ? null : text, block, http }
  })
}

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

const resolveByName: Resolve = (host) => lookUp(host, { all: true })

/** Addresses of this very machine: what listens there was not meant for strangers. */
const isOwn = (address: string): boolean =>
  Object.values(networkInterfaces()).some((list) => list?.some((one) => one.address === address))

const WAY_OUT = 'an administrator may allow it with the setting outbound.allow'

export type AddressOptions = {
  /**
   * Public addresses may be reached in the clear too, where nothing secret is sent or asked for.
   */
  readonly clear?: boolean
}

/**
 * The one address to connect to. Gives OutboundError for an address that is not allowed or a name
 * that has none.
 */
export async function checkedAddress(
  url: URL,
  rules: OutboundRules,
  resolve: Resolve = resolveByName,
  options: AddressOptions = {},
): Promise<{ address: string; family: 4 | 6 }> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundError(
      `${url.protocol} addresses are not reached from here`,
      'blocked_address',
    )
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('an address must not hold a name or password', 'blocked_address')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const literal = parseAddress(host)
  const found = literal
    ? [{ address: host, family: literal.length === 4 ? 4 : 6 }]
    : await resolve(host).catch(() => [])
  const [first] = found
  if (!first) throw new OutboundError(`the name ${host} has no address`, 'dns')
  const clear = url.protocol === 'http:'
  for (const { address } of found) {
    const bytes = parseAddress(address)
    const allowed =
      bytes !== null &&
      rules.some(
        (rule) =>
          (!clear || rule.http) && (rule.block ? inBlock(bytes, rule.block) : rule.host === host),
      )
    if (allowed) continue
    if (clear && !options.clear)
      throw new OutboundError(
        `${url.origin} must be reached over https; ${WAY_OUT}`,
        'blocked_address',
      )
    if (bytes === null || !isPublicAddress(bytes) || isOwn(address)) {
      throw new OutboundError(
        `${literal ? host : `${host} is at ${address}, which`} is not a public address; ${WAY_OUT}`,
        'blocked_address',
      )
    }
  }
  return { address: first.address, family: first.family === 6 ? 6 : 4 }
}

export type OutboundRequest = {
  readonly rules: OutboundRules
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds for all of it, looking the name up included. */
  readonly timeout: number
  /** The most bytes of an answer. */
  readonly maxBytes: number
  /**
   * An answer that is longer, breaks off, or does not end in time, is cut there; otherwise it is an
   * error.
   */
  readonly cut?: boolean
  readonly signal?: AbortSignal
  readonly resolve?: Resolve
  /** More certificate authorities, in PEM. */
  readonly ca?: string
}

export type OutboundAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
}

/** A failure of TLS by the code or, where there is none, the words of the error. */
export const isTls = (error: Error): boolean =>
  /^(ERR_)?(TLS|SSL|CERT|CRL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)|_SSL_|_TLS_/.test(
    (error as { code?: unknown }).code?.toString() ?? '',
  ) || /certificate|\b(ssl|tls)\b/i.test(error.message)

/** Makes one request. Gives OutboundError for everything that goes wrong on the way. */
export async function requestOutside(url: URL, options: OutboundRequest): Promise<OutboundAnswer> {
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  ended.catch(() => {})
  const stop = new AbortController()
  let isLate = false
  let whole: (() => void) | null = null
  const giveUp = (error: OutboundError): void => {
    // What came is enough for those who would cut a long answer.
    if (isLate) whole?.()
    end(error)
    stop.abort()
  }
  const timer = setTimeout(() => {
    isLate = true
    giveUp(new OutboundError(`${url.host} did not answer in time`, 'timeout'))
  }, options.timeout)
  const abandon = (): void => giveUp(new OutboundError('the request was given up', 'timeout'))
  if (options.signal?.aborted) abandon()
  options.signal?.addEventListener('abort', abandon, { once: true })
  try {
    const pinned = await Promise.race([checkedAddress(url, options.rules, options.resolve), ended])
    return await Promise.race([
      exchange(url, pinned, options, stop.signal, (finish) => (whole = finish)),
      ended,
    ])
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', abandon)
  }
}

/**
 * Sends the request to the checked address. `began` is told once the answer's head is there, with
 * what ends it as it stands.
 */
function exchange(
  url: URL,
  { address, family }: { address: string; family: 4 | 6 },
  options: OutboundRequest,
  signal: AbortSignal,
  began: (finish: () => void) => void,
): Promise<OutboundAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    let enough: (() => void) | null = null
    const fail = (error: Error): void => {
      enough?.()
      reject(
        error instanceof OutboundError
          ? error
          : new OutboundError(
              `${url.host} cannot be reached: ${error.message}`,
              isTls(error) ? 'tls' : 'refused',
            ),
      )
    }
    const request = send(
      url,
      {
        method: options.method ?? 'GET',
        headers: { ...options.headers },
        signal,
        agent: false,
        ...(options.ca ? { ca: options.ca } : {}),
        lookup: (_host, wanted, done) =>
          wanted.all ? done(null, [{ address, family }]) : done(null, address, family),
      },
      (response) => {
        const parts: Uint8Array[] = []
        let size = 0
        let over = false
        const finish = (): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts, size),
          })
        if (options.cut) began((enough = finish))
        response.on('data', (part: Uint8Array) => {
          if (over) return
          const room = options.maxBytes - size
          over = part.length > room
          const taken = over ? part.subarray(0, room) : part
          parts.push(taken)
          size += taken.length
          if (!over) return
          if (options.cut) finish()
          else
            fail(new OutboundError(`${url.host} answered with more than ${options.maxBytes} bytes`))
          response.destroy()
        })
        response.on('end', finish)
        response.on('error', fail)
      },
    )
    request.on('error', fail)
    request.end(options.body)
  })
}
