/**
 * The HTTP client for addresses that users name: webhooks, imports, documents of applications,
 * certificate authorities. One set of rules (`outbound-rules.ts`) holds for every connection. TLS
 * verifies the name. Proxies of the environment are not used.
 */
import {
  checkAddress,
  checkSocket,
  OutboundError,
  type CheckedAddress,
  type CheckOptions,
  type OutboundRules,
  type Resolve,
} from './outbound-rules.ts'
import {
  KeptConnections,
  OutboundTimeout,
  ResponseTooLong,
  sendRequest,
  withinTime,
  type RawHeaders,
  type StreamedResponse,
} from './outbound-stream.ts'

export {
  OutboundError,
  parseOutboundRules,
  socketOf,
  type OutboundRules,
  type Resolve,
} from './outbound-rules.ts'
export { ResponseTooLong } from './outbound-stream.ts'

type CommonOptions = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for the whole exchange, resolving the name included. */
  readonly timeoutMs: number
  /** The maximum length of the response's body. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** The path of a unix socket that answers; the address names its host for the request alone. */
  readonly socket?: string
  /** More certificate authorities, in PEM. */
  readonly ca?: string
}

export type OutboundRequest = CommonOptions & {
  readonly body?: string | Uint8Array
  /** Truncates a body that is too long, breaks off or is late, instead of an error. */
  readonly truncate?: boolean
}

export type OutboundResponse = {
  readonly status: number
  readonly headers: RawHeaders
  readonly body: Uint8Array
}

export type OutboundStreamRequest = CommonOptions & {
  /** Sent to the origin of the request only, never to one that a redirect names. */
  readonly authorization?: string | null
  readonly body?: Uint8Array | ReadableStream<Uint8Array> | null
  /** The maximum number of redirects, each checked like the first address. Only for GET. */
  readonly redirects?: number
  /** Milliseconds in which at least one byte must arrive or be accepted. */
  readonly idleTimeoutMs: number
  /** Allows http to public addresses, for requests without secrets. */
  readonly allowHttp?: boolean
  /** Keeps the connection for the next request to the same host, for half a minute. */
  readonly keepAlive?: boolean
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

export class OutboundClient {
  readonly #kept = new KeptConnections()

  constructor(
    private readonly rules: OutboundRules,
    /** Replaces DNS in tests. */
    private readonly resolve?: Resolve,
  ) {}

  /** The address that a connection would go to. Throws OutboundError when it is not allowed. */
  async checkAddress(
    url: URL,
    options: Pick<CheckOptions, 'allowHttp'> = {},
  ): Promise<CheckedAddress> {
    return await checkAddress(url, this.rules, {
      ...options,
      ...(this.resolve ? { resolve: this.resolve } : {}),
    })
  }

  /**
   * Sends a request and reads the whole response. Redirects are not followed. Throws OutboundError.
   */
  async request(url: URL, options: OutboundRequest): Promise<OutboundResponse> {
    const { body, truncate = false, maxBytes, timeoutMs } = options
    try {
      const response = await this.open(url, {
        ...options,
        body: typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? null),
        idleTimeoutMs: timeoutMs,
        // A body that may be truncated is limited while it is read.
        maxBytes: truncate ? Number.POSITIVE_INFINITY : maxBytes,
      })
      return {
        status: response.status,
        headers: response.rawHeaders,
        body: await readBody(response.body, maxBytes, truncate),
      }
    } catch (error) {
      if (error instanceof OutboundTimeout)
        throw new OutboundError(`${url.host} did not answer in time`, 'timeout')
      throw error
    }
  }

  /**
   * Sends a request whose body and response are streams, read as fast as the other side takes them.
   * Throws OutboundError. The same errors end the stream of the response.
   */
  async open(url: URL, options: OutboundStreamRequest): Promise<StreamedResponse> {
    const deadlineMs = performance.now() + options.timeoutMs
    const follows = options.redirects !== undefined && isGet(options)
    let redirectsLeft = options.redirects ?? 0
    for (let target = url; ; ) {
      const response = await this.#openOnce(
        target,
        options,
        target.origin === url.origin,
        deadlineMs,
      )
      if (!follows || !REDIRECTS.has(response.status)) return response
      await response.body.cancel()
      const next = redirectTarget(target, response)
      if (redirectsLeft-- <= 0)
        throw new OutboundError(`${url.host} redirects too often`, 'blocked_address')
      target = next
    }
  }

  async #openOnce(
    url: URL,
    options: OutboundStreamRequest,
    isFirstOrigin: boolean,
    deadlineMs: number,
  ): Promise<StreamedResponse> {
    if (options.signal?.aborted) throw new OutboundError('the request was given up', 'timeout')
    const address =
      options.socket === undefined
        ? await withinTime(
            this.checkAddress(url, { allowHttp: options.allowHttp ?? false }),
            url,
            options,
            deadlineMs,
          )
        : checkSocket(options.socket, this.rules)
    const body = options.body ?? null
    const headers: Record<string, string> = { ...options.headers }
    if (isFirstOrigin && options.authorization) headers.authorization = options.authorization
    if (body instanceof Uint8Array) headers['content-length'] = String(body.length)
    const kept = options.keepAlive ? { kept: this.#kept } : {}
    return await sendRequest(url, address, { ...options, ...kept, headers, body, deadlineMs })
  }
}

const isGet = ({ method = 'GET' }: { readonly method?: string }): boolean => method === 'GET'

/** The address that a redirect names. Throws OutboundError for none, and from https to http. */
function redirectTarget(url: URL, { headers }: StreamedResponse): URL {
  const { location } = headers
  const next = location === undefined ? null : URL.parse(location, url)
  if (!next) throw new OutboundError(`${url.host} redirects to nowhere`, 'blocked_address')
  if (url.protocol === 'https:' && next.protocol !== 'https:')
    throw new OutboundError(
      `${url.host} redirects from https to ${next.protocol}//, which is not followed`,
      'blocked_address',
    )
  return next
}

/** Reads a body whole, or its first `maxBytes` when it may be truncated. */
async function readBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  truncate: boolean,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const part = value.subarray(0, maxBytes - size)
      parts.push(part)
      size += part.length
      if (part.length < value.length) {
        await reader.cancel()
        break
      }
    }
  } catch (error) {
    if (!truncate || !(error instanceof OutboundError) || error instanceof ResponseTooLong)
      throw error
  }
  return Buffer.concat(parts, size)
}
