/**
 * Requests to addresses that strangers name whose bodies are too large to hold: both are streams,
 * read and written as fast as the other end takes them. The rules of `outbound.ts` hold for every
 * connection: looked up once, checked, pinned.
 */
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import {
  checkedAddress,
  isTls,
  OutboundError,
  type OutboundFault,
  type OutboundRules,
  type Resolve,
} from './outbound.ts'

export type OutboundStreamRequest = {
  readonly rules: OutboundRules
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent to the origin that was asked for, never to one that a redirect names. */
  readonly authorization?: string | null
  readonly body?: Uint8Array | ReadableStream<Uint8Array> | null
  /** How many redirects are followed, each checked as the first address was; only for GET. */
  readonly redirects?: number
  /** Milliseconds for all of it, from the first connection to the last byte. */
  readonly timeout: number
  /** Milliseconds in which at least one byte must come or be taken. */
  readonly idle: number
  /** The most bytes of the answer's body; more are an error. */
  readonly maxBytes: number
  /** Public addresses may be reached over plain http. */
  readonly clear?: boolean
  readonly signal?: AbortSignal
  readonly resolve?: Resolve
  /** More certificate authorities, in PEM. */
  readonly ca?: string
}

export type OutboundStream = {
  readonly status: number
  /** Names in small letters; of repeated ones the first. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Where the answer came from, after redirects. */
  readonly url: URL
  /** Must be read to its end or cancelled: a connection hangs on it. */
  readonly body: ReadableStream<Uint8Array>
}

/** The answer was longer than agreed; it would be again. */
export class AnswerTooLong extends OutboundError {}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Makes one request. Gives OutboundError for everything that goes wrong on the way; the same errors
 * end the body's stream.
 */
export async function openOutside(
  url: URL,
  options: OutboundStreamRequest,
): Promise<OutboundStream> {
  const deadline = performance.now() + options.timeout
  let left = options.method === 'POST' ? 0 : (options.redirects ?? 0)
  let at = url
  for (;;) {
    const answer = await openOnce(at, options, at.origin === url.origin, deadline)
    if (
      !REDIRECTS.has(answer.status) ||
      options.redirects === undefined ||
      options.method === 'POST'
    )
      return answer
    await answer.body.cancel()
    const { location } = answer.headers
    const next = location === undefined ? null : URL.parse(location, at)
    if (!next) throw new OutboundError(`${at.host} redirects to nowhere`, 'blocked_address')
    if (left-- <= 0) throw new OutboundError(`${url.host} redirects too often`, 'blocked_address')
    if (at.protocol === 'https:' && next.protocol !== 'https:')
      throw new OutboundError(
        `${at.host} redirects from https to ${next.protocol}//, which is not followed`,
        'blocked_address',
      )
    at = next
  }
}

async function openOnce(
  url: URL,
  options: OutboundStreamRequest,
  isFirst: boolean,
  deadline: number,
): Promise<OutboundStream> {
  const { signal } = options
  if (signal?.aborted) throw new OutboundError('the request was given up', 'timeout')
  const { address, family } = await inTime(
    checkedAddress(url, options.rules, options.resolve, { clear: options.clear }),
    url,
    options,
    deadline,
  )
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const body = options.body ?? null
  const headers: Record<string, string> = { ...options.headers }
  if (isFirst && options.authorization) headers['authorization'] = options.authorization
  if (body instanceof Uint8Array) headers['content-length'] = String(body.length)
  return new Promise((resolve, reject) => {
    const link = new Link(url, options, deadline, reject)
    const request = send(
      url,
      {
        method: options.method ?? 'GET',
        headers,
        agent: false,
        ...(options.ca ? { ca: options.ca } : {}),
        lookup: (_host, wanted, done) =>
          wanted.all ? done(null, [{ address, family }]) : done(null, address, family),
      },
      (response) => {
        link.rest()
        resolve({
          status: response.statusCode ?? 0,
          headers: firstOf(response.headers),
          url,
          body: link.bodyOf(response),
        })
      },
    )
    link.hold(request)
    if (body === null || body instanceof Uint8Array) request.end(body ?? undefined)
    else link.send(request, body)
  })
}

/**
 * The answer of a look-up, unless the time is over or nobody waits for it any more: it cannot be
 * stopped, only left behind.
 */
async function inTime<T>(
  looked: Promise<T>,
  url: URL,
  { signal, idle }: OutboundStreamRequest,
  deadline: number,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const abandon = (): void => reject(new OutboundError('the request was given up', 'timeout'))
  const timer = setTimeout(
    () => reject(new OutboundError(`the name ${url.hostname} was not found in time`, 'dns')),
    Math.max(0, Math.min(idle, deadline - performance.now())),
  )
  signal?.addEventListener('abort', abandon, { once: true })
  try {
    return await Promise.race([looked, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abandon)
  }
}

/** Resolves when the connection takes more, or is gone. */
const roomIn = (request: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      request.off('drain', go)
      request.off('close', go)
      resolve()
    }
    request.on('drain', go)
    request.on('close', go)
  })

const firstOf = (headers: IncomingMessage['headers']): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )

/**
 * One connection with its clocks: whatever fails first ends both directions, and only that is told.
 */
class Link {
  #failure: OutboundError | null = null
  #over = false
  #request: ClientRequest | null = null
  #idle: ReturnType<typeof setTimeout> | null = null
  readonly #whole: ReturnType<typeof setTimeout>
  /** Ends the body's stream with an error, once there is one. */
  #breakBody: ((error: OutboundError) => void) | null = null
  readonly #abort = (): void => this.fail('the request was given up', 'timeout')

  constructor(
    private readonly url: URL,
    private readonly options: OutboundStreamRequest,
    deadline: number,
    private readonly reject: (error: OutboundError) => void,
  ) {
    this.#whole = setTimeout(
      () =>
        this.fail(
          `${url.host} took longer than ${Math.round(options.timeout / 1000)} seconds`,
          'timeout',
        ),
      Math.max(0, deadline - performance.now()),
    )
    options.signal?.addEventListener('abort', this.#abort, { once: true })
    this.moved()
  }

  hold(request: ClientRequest): void {
    this.#request = request
    request.on('error', (error) =>
      this.fail(
        `${this.url.host} cannot be reached: ${error.message}`,
        isTls(error) ? 'tls' : 'refused',
      ),
    )
  }

  /** It is this side that takes its time now. */
  rest(): void {
    if (this.#idle) clearTimeout(this.#idle)
    this.#idle = null
  }

  /** A byte went one way or the other, and the next one is the other end's to send or take. */
  moved(): void {
    this.rest()
    if (this.#over) return
    this.#idle = setTimeout(
      () =>
        this.fail(
          `${this.url.host} was silent for ${Math.round(this.options.idle / 1000)} seconds`,
          'timeout',
        ),
      this.options.idle,
    )
  }

  fail(reason: string | OutboundError, fault?: OutboundFault): void {
    if (this.#over) return
    this.#failure = typeof reason === 'string' ? new OutboundError(reason, fault) : reason
    this.#end()
    this.reject(this.#failure)
    this.#breakBody?.(this.#failure)
    this.#request?.destroy()
  }

  #end(): void {
    this.#over = true
    clearTimeout(this.#whole)
    this.rest()
    this.options.signal?.removeEventListener('abort', this.#abort)
  }

  /** Writes a body as fast as the other end takes it. */
  send(request: ClientRequest, body: ReadableStream<Uint8Array>): void {
    const reader = body.getReader()
    const run = async (): Promise<void> => {
      for (;;) {
        this.rest()
        const { done, value } = await reader.read()
        this.moved()
        if (done || this.#over) break
        if (!request.write(value)) await roomIn(request)
      }
      if (this.#over) await reader.cancel()
      else request.end()
    }
    run().catch((error: unknown) => {
      this.fail(error instanceof Error ? error.message : String(error))
    })
  }

  /** The answer's body; nothing is read from the connection while nobody reads here. */
  bodyOf(response: IncomingMessage): ReadableStream<Uint8Array> {
    let size = 0
    const parts = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#breakBody = (error) => controller.error(error)
        },
        pull: async (controller) => {
          this.moved()
          try {
            const { done, value } = await parts.next()
            if (this.#over) return
            if (done) {
              if (response.complete === false) throw new Error('the connection ended too early')
              this.#end()
              controller.close()
              return
            }
            size += value.length
            if (size > this.options.maxBytes)
              this.fail(
                new AnswerTooLong(
                  `${this.url.host} answered with more than ${this.options.maxBytes} bytes`,
                ),
              )
            else {
              this.rest()
              controller.enqueue(value)
            }
          } catch (error) {
            this.fail(
              `${this.url.host} broke off: ${error instanceof Error ? error.message : String(error)}`,
            )
          }
        },
        cancel: () => {
          this.#end()
          this.#request?.destroy()
        },
      },
      { highWaterMark: 0 },
    )
  }
}
