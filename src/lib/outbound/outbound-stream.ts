/**
 * One connection of the outbound HTTP client (`outbound.ts`). Request and response are streams. The
 * connection goes to an address that was checked before.
 */
import {
  Agent as HttpAgent,
  request as requestHttp,
  validateHeaderValue,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { OutboundError, type CheckedAddress, type OutboundFault } from './outbound-rules.ts'

export type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

export type StreamedResponse = {
  readonly status: number
  /** Names are lower case. Of repeated headers it holds the first. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Repeated headers are lists. */
  readonly rawHeaders: RawHeaders
  /** The address of the response, after redirects. */
  readonly url: URL
  /** Must be read to its end or cancelled, because it holds a connection. */
  readonly body: ReadableStream<Uint8Array>
}

/** The whole exchange took too long. */
export class OutboundTimeout extends OutboundError {}

/** The response is longer than `maxBytes`. Trying again does not help. */
export class ResponseTooLong extends OutboundError {}

/** Where a connection goes: an address or a unix socket, which was checked before. */
export type Destination = CheckedAddress | { readonly socket: string }

export type ConnectionOptions = {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | ReadableStream<Uint8Array> | null
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
  /** The end of `timeoutMs` as `performance.now()` tells it. */
  readonly deadlineMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
  readonly ca?: string
  /** Where connections are kept after the response; without it each request has its own. */
  readonly kept?: KeptConnections
}

/** An idle connection costs the other side memory, and many servers close it after a minute. */
const MAX_KEPT_MS = 30_000
const MAX_KEPT_ADDRESSES = 64
const MAX_KEPT_CONNECTIONS = 8

/**
 * Connections that stay open for the next request to the same host at the same address. The name is
 * resolved and checked for each request, so one that moves gets a new connection.
 */
export class KeptConnections {
  readonly #agents = new Map<string, HttpAgent>()

  /** Undefined where too many addresses have connections now. */
  agentFor({ protocol, host }: URL, address: string): HttpAgent | undefined {
    const key = `${protocol}//${host} ${address}`
    const known = this.#agents.get(key)
    if (known) return known
    if (this.#agents.size >= MAX_KEPT_ADDRESSES) this.#forgetIdle()
    if (this.#agents.size >= MAX_KEPT_ADDRESSES) return undefined
    const options = {
      keepAlive: true,
      timeout: MAX_KEPT_MS,
      maxFreeSockets: MAX_KEPT_CONNECTIONS,
    }
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
    this.#agents.set(key, agent)
    return agent
  }

  #forgetIdle(): void {
    const isEmpty = (sockets: object): boolean => Object.keys(sockets).length === 0
    for (const [key, { sockets, freeSockets }] of this.#agents)
      if (isEmpty(sockets) && isEmpty(freeSockets)) this.#agents.delete(key)
  }
}

/** The other side closed a kept connection before it read the request. */
class ClosedMeanwhile extends OutboundError {}

/** Whether an error is one of TLS, by its code or by its message where it has none. */
const isTlsError = (error: Error): boolean =>
  /^(ERR_)?(TLS|SSL|CERT|CRL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)|_SSL_|_TLS_/.test(
    (error as { code?: unknown }).code?.toString() ?? '',
  ) || /certificate|\b(ssl|tls)\b/i.test(error.message)

const seconds = (ms: number): number => Math.round(ms / 1000)

/** Throws for a value that no header may have, such as a token that somebody pasted with a dash. */
function requireHeaders({ host }: URL, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers))
    try {
      validateHeaderValue(name, value)
    } catch {
      throw new OutboundError(
        `${host} was not asked: the header ${name} cannot have the characters of the given text`,
      )
    }
}

/** Sends one request. Resolves when the head of the response is there. */
export async function sendRequest(
  url: URL,
  destination: Destination,
  options: ConnectionOptions,
): Promise<StreamedResponse> {
  requireHeaders(url, options.headers)
  const { kept, ...once } = options
  if (kept === undefined || options.ca !== undefined || options.body instanceof ReadableStream)
    return await sendOnce(url, destination, once)
  try {
    return await sendOnce(url, destination, once, kept.agentFor(url, nameOf(destination)))
  } catch (error) {
    if (!(error instanceof ClosedMeanwhile)) throw error
    return await sendOnce(url, destination, once)
  }
}

const nameOf = (destination: Destination): string =>
  'socket' in destination ? destination.socket : destination.address

/** How the connection is made. The name of an address is not resolved again. */
const connectionTo = (destination: Destination): RequestOptions =>
  'socket' in destination
    ? { socketPath: destination.socket }
    : {
        lookup: (_host, wanted, done) => {
          const { address, family } = destination
          return wanted.all ? done(null, [{ address, family }]) : done(null, address, family)
        },
      }

async function sendOnce(
  url: URL,
  destination: Destination,
  options: ConnectionOptions,
  agent: HttpAgent | false = false,
): Promise<StreamedResponse> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return await new Promise((resolve, reject) => {
    const connection = new Connection(url, nameOf(destination), options, reject)
    const request = send(
      url,
      {
        method: options.method ?? 'GET',
        headers: { ...options.headers },
        agent,
        ...(options.ca ? { ca: options.ca } : {}),
        ...connectionTo(destination),
      },
      (response) => {
        connection.isAnswered = true
        connection.stopIdleTimer()
        resolve({
          status: response.statusCode ?? 0,
          headers: firstValues(response.headers),
          rawHeaders: response.headers,
          url,
          body: connection.bodyOf(response),
        })
      },
    )
    connection.attach(request)
    const { body } = options
    if (body === null) request.end()
    else if (body instanceof Uint8Array) request.end(body)
    else connection.sendBody(request, body)
  })
}

/**
 * The value of a promise, unless the time is over or the request is aborted. Resolving a name
 * cannot be cancelled, so its result is ignored then.
 */
export async function withinTime<T>(
  promise: Promise<T>,
  url: URL,
  { signal, idleTimeoutMs }: Pick<ConnectionOptions, 'signal' | 'idleTimeoutMs'>,
  deadlineMs: number,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(new OutboundError('the request was given up', 'timeout'))
  const timer = setTimeout(
    () => reject(new OutboundTimeout(`the name ${url.hostname} was not found in time`, 'dns')),
    Math.max(0, Math.min(idleTimeoutMs, deadlineMs - performance.now())),
  )
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Resolves when the connection takes more bytes, or is closed. */
const writable = (request: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      request.off('drain', settle)
      request.off('close', settle)
      resolve()
    }
    request.on('drain', settle)
    request.on('close', settle)
  })

const firstValues = (headers: IncomingMessage['headers']): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )

/** A connection with its timers. The first failure ends both directions, and it alone is reported. */
class Connection {
  /** Whether the head of the response has come. */
  isAnswered = false
  #isOver = false
  #request: ClientRequest | null = null
  #idleTimer: ReturnType<typeof setTimeout> | null = null
  readonly #totalTimer: ReturnType<typeof setTimeout>
  /** Ends the stream of the response with an error, once there is one. */
  #failBody: ((error: OutboundError) => void) | null = null
  readonly #abort = (): void => this.#fail(new OutboundError('the request was given up', 'timeout'))

  constructor(
    private readonly url: URL,
    private readonly address: string,
    private readonly options: ConnectionOptions,
    private readonly reject: (error: OutboundError) => void,
  ) {
    this.#totalTimer = setTimeout(
      () =>
        this.#fail(
          new OutboundTimeout(
            `${url.host} took longer than ${seconds(options.timeoutMs)} seconds`,
            'timeout',
          ),
        ),
      Math.max(0, options.deadlineMs - performance.now()),
    )
    options.signal?.addEventListener('abort', this.#abort, { once: true })
    this.#restartIdleTimer()
  }

  attach(request: ClientRequest): void {
    this.#request = request
    request.on('error', (error) => {
      if (request.reusedSocket && !this.isAnswered)
        return this.#fail(new ClosedMeanwhile(`${this.url.host} closed the connection`, 'refused'))
      const fault: OutboundFault = isTlsError(error) ? 'tls' : 'refused'
      const told = (reason: string): string => `${this.url.host} cannot be reached: ${reason}`
      // The runtime names the address that it connected to.
      const neutral = error.message.replaceAll(this.address, this.url.hostname)
      this.#fail(new OutboundError(told(neutral), fault, told(error.message)))
    })
  }

  /** This side is slow now, so the other side is not idle. */
  stopIdleTimer(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }

  /** A byte was sent or received, and the other side sends or takes the next one. */
  #restartIdleTimer(): void {
    this.stopIdleTimer()
    if (this.#isOver) return
    const { idleTimeoutMs } = this.options
    this.#idleTimer = setTimeout(
      () =>
        this.#fail(
          new OutboundTimeout(
            `${this.url.host} was silent for ${seconds(idleTimeoutMs)} seconds`,
            'timeout',
          ),
        ),
      idleTimeoutMs,
    )
  }

  #fail(error: OutboundError): void {
    if (this.#isOver) return
    this.#end()
    this.reject(error)
    this.#failBody?.(error)
    this.#request?.destroy()
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#totalTimer)
    this.stopIdleTimer()
    this.options.signal?.removeEventListener('abort', this.#abort)
  }

  /** Writes a body as fast as the other side takes it. */
  sendBody(request: ClientRequest, body: ReadableStream<Uint8Array>): void {
    const reader = body.getReader()
    const run = async (): Promise<void> => {
      for (;;) {
        this.stopIdleTimer()
        const { done, value } = await reader.read()
        this.#restartIdleTimer()
        if (done || this.#isOver) break
        if (!request.write(value)) await writable(request)
      }
      if (this.#isOver) await reader.cancel()
      else request.end()
    }
    run().catch((error: unknown) => {
      this.#fail(new OutboundError(error instanceof Error ? error.message : String(error)))
    })
  }

  /** The body of the response. It reads from the connection only as fast as it is read. */
  bodyOf(response: IncomingMessage): ReadableStream<Uint8Array> {
    let size = 0
    const parts = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      this.#restartIdleTimer()
      const { done, value } = await parts.next()
      if (this.#isOver) return
      if (done) {
        if (response.complete === false) throw new Error('the connection ended too early')
        this.#end()
        controller.close()
        return
      }
      size += value.length
      if (size > this.options.maxBytes) throw this.#tooLong()
      this.stopIdleTimer()
      controller.enqueue(value)
    }
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#failBody = (error) => controller.error(error)
        },
        pull: (controller) =>
          pull(controller).catch((error: unknown) => this.#fail(this.#brokenOff(error))),
        cancel: () => {
          this.#end()
          this.#request?.destroy()
        },
      },
      { highWaterMark: 0 },
    )
  }

  #tooLong(): ResponseTooLong {
    return new ResponseTooLong(
      `${this.url.host} answered with more than ${this.options.maxBytes} bytes`,
    )
  }

  #brokenOff(error: unknown): OutboundError {
    if (error instanceof OutboundError) return error
    const reason = error instanceof Error ? error.message : String(error)
    return new OutboundError(`${this.url.host} broke off: ${reason}`)
  }
}
