/**
 * Requests to the API of another forge. Every answer is bounded in bytes and time, and the token is
 * sent to the origin of the import only.
 */
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import { OutboundError, type OutboundClient } from '#lib/outbound/outbound.ts'
import type { StreamedResponse } from '#lib/outbound/outbound-stream.ts'
import { readBeginning } from '#lib/outbound/read-beginning.ts'
import { HOUR, MINUTE, SECOND } from '#lib/time.ts'
import { sleep } from '#lib/waiting.ts'
import { findJsonExcess } from '#lib/parse-json.ts'
import { Fields, listOf } from './fields.ts'

/** A page of 50 records with texts of 64 KiB each, and what surrounds them. */
const MAX_ANSWER_BYTES = 32 << 20
/** A page of 50 pull requests has about 25,000 values. */
const JSON_LIMITS = { maxDepth: 64, maxValues: 200_000 }
/** A list that is in memory as a whole, such as the comments of one record. */
const MAX_LIST_BYTES = 64 << 20
const ANSWER_TIMEOUT_MS = 2 * MINUTE
const FILE_TIMEOUT_MS = 6 * HOUR
const IDLE_TIMEOUT_MS = MINUTE
const MAX_REDIRECTS = 5
const MAX_LIMIT_WAIT_MS = 6 * HOUR
/** At most this share of the limit is left when requests slow down. */
const SLOW_BELOW = 0.1
const MAX_PAUSE_MS = 10 * SECOND
/** A limit that ends sooner is waited for here, so that nothing is read twice. */
const MAX_WAIT_HERE_MS = 30 * SECOND
const MAX_WAITS_HERE = 5
/** So that requests of several imports do not come back at the same moment. */
const MAX_JITTER_MS = SECOND

/** What GitHub says of a secondary limit, at times without a header (docs, "Rate limits for the REST API"). */
const LIMIT_MESSAGE = /secondary rate limit|abuse detection/i
const MAX_MESSAGE_CHARS = 4096

/** The forge refused or failed. */
export class ForgeError extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** Milliseconds after which the forge may be asked again; null when it said nothing. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }

  get isRateLimit(): boolean {
    return this.status === 429 || this.retryAfterMs !== null
  }

  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 408
  }

  /** Whether the record is gone or hidden, while others may be there. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 410 || this.status === 451
  }
}

/** Milliseconds of a limit that ends soon; null for other errors. */
const shortLimitOf = (error: unknown): number | null =>
  error instanceof ForgeError &&
  error.retryAfterMs !== null &&
  error.retryAfterMs <= MAX_WAIT_HERE_MS
    ? error.retryAfterMs
    : null

/** Whether the next request may be answered: the server failed, or a connection broke off. */
const isMomentary = (error: unknown): boolean =>
  error instanceof ForgeError
    ? error.isTemporary && error.retryAfterMs === null
    : error instanceof OutboundError && error.fault === 'refused'

export type ForgeAnswer = {
  readonly body: unknown
  /** The length of the answer. */
  readonly bytes: number
  readonly header: (name: string) => string | null
}

export type ForgeClientOptions = {
  /** The address below which all requests go, without a slash at the end. */
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  /** The value of the header Authorization; null for public access. */
  readonly authorization: string | null
  readonly signal: AbortSignal
  /**
   * Pauses before a request is sent again that failed for a moment, one for each further try. Short
   * limits are waited for then. Without it each failure is told at once.
   */
  readonly pausesMs?: readonly number[]
}

const seconds = (text: string | null): number | null => {
  const value = Number(text ?? Number.NaN)
  return text !== null && text !== '' && Number.isFinite(value) && value >= 0 ? value : null
}

export class ForgeClient {
  /** Before this moment of `performance.now` no request is sent, so that the limit lasts. */
  #notBefore = 0
  /** Thousands of requests go to one host, so its connections are kept. */
  readonly #outbound: OutboundClient

  constructor(
    private readonly hearth: Pick<Hearth, 'settings' | 'clock'>,
    private readonly options: ForgeClientOptions,
  ) {
    this.#outbound = outboundClient(hearth)
  }

  get base(): string {
    return this.options.base
  }

  get origin(): string {
    return new URL(this.options.base).origin
  }

  /** Reads JSON at a path below the base, or at a whole address of the same origin. */
  get(path: string): Promise<ForgeAnswer> {
    return this.#patiently(() => this.#get(path))
  }

  /** Sends a request until it is answered, as long as the failure looks like one of a moment. */
  async #patiently<T>(send: () => Promise<T>): Promise<T> {
    const { pausesMs, signal } = this.options
    if (pausesMs === undefined) return await send()
    const pauses = pausesMs.values()
    let waits = 0
    const pauseAfter = (error: unknown): number | undefined => {
      const limitMs = shortLimitOf(error)
      if (limitMs === null) return isMomentary(error) ? pauses.next().value : undefined
      return waits++ < MAX_WAITS_HERE ? limitMs + Math.random() * MAX_JITTER_MS : undefined
    }
    for (;;)
      try {
        return await send()
      } catch (error) {
        const pause = pauseAfter(error)
        if (pause === undefined || signal.aborted) throw error
        await sleep(pause, signal)
      }
  }

  async #get(path: string): Promise<ForgeAnswer> {
    const response = await this.#open(path, {
      accept: 'application/json',
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: ANSWER_TIMEOUT_MS,
    })
    const bytes = await new Response(response.body).bytes()
    if (findJsonExcess(bytes, JSON_LIMITS) !== null)
      throw new ForgeError(`${this.#host} answered with too many values`, response.status)
    try {
      const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
      return { body, bytes: bytes.length, header: headerOf(response) }
    } catch {
      throw new ForgeError(
        `${this.#host} did not answer with JSON: is this the address of a repository there?`,
        response.status,
      )
    }
  }

  async list(path: string): Promise<Fields[]> {
    return listOf((await this.get(path)).body)
  }

  async one(path: string): Promise<Fields> {
    return new Fields((await this.get(path)).body)
  }

  /** Opens a file. Redirects are followed, without the token for other origins. */
  open(url: string, maxBytes: number): Promise<StreamedResponse> {
    return this.#patiently(() =>
      this.#open(url, {
        accept: 'application/octet-stream',
        maxBytes,
        timeoutMs: FILE_TIMEOUT_MS,
      }),
    )
  }

  get #host(): string {
    return new URL(this.options.base).host
  }

  async #open(
    path: string,
    { accept, ...bounds }: { accept: string; maxBytes: number; timeoutMs: number },
  ): Promise<StreamedResponse> {
    const { base, authorization, signal } = this.options
    const url = new URL(path.startsWith('/') ? `${base}${path}` : path)
    const isOwn = url.origin === this.origin
    await this.#waitForTurn()
    const response = await this.#outbound.open(url, {
      headers: {
        'user-agent': 'hearth-import',
        ...(isOwn ? this.options.headers : {}),
        accept,
      },
      authorization: isOwn ? authorization : null,
      allowHttp: authorization === null,
      redirects: MAX_REDIRECTS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      keepAlive: true,
      ...bounds,
      signal,
    })
    this.#readLimit(headerOf(response))
    if (response.status >= 200 && response.status < 300) return response
    throw this.#failureOf(response, await readBeginning(response.body, MAX_MESSAGE_CHARS))
  }

  #failureOf(response: StreamedResponse, text: string): ForgeError {
    const { status } = response
    const header = headerOf(response)
    const after = seconds(header('retry-after'))
    const remaining = seconds(header('x-ratelimit-remaining') ?? header('ratelimit-remaining'))
    const reset = seconds(header('x-ratelimit-reset') ?? header('ratelimit-reset'))
    const isTold = after !== null || remaining === 0 || LIMIT_MESSAGE.test(text)
    const isLimit = status === 429 || (status === 403 && isTold)
    const now = this.hearth.clock.now()
    const waitMs = !isLimit
      ? null
      : after !== null
        ? after * SECOND
        : reset !== null && (remaining ?? 0) === 0
          ? Math.max(0, reset * SECOND - now)
          : // Another limit than the one that these headers count.
            MINUTE
    const unavailable = status === 503 && after !== null ? after * SECOND : null
    const message = isLimit
      ? `${this.#host} asks to wait: its limit of requests is reached`
      : status === 401
        ? `${this.#host} does not accept the token (401)`
        : status === 403
          ? `the token may not read this at ${this.#host} (403)`
          : status === 404
            ? `${this.#host} has no such repository, or the token cannot see it (404)`
            : `${this.#host} answered with status ${status}`
    const wait = waitMs ?? unavailable
    return new ForgeError(message, status, wait === null ? null : Math.min(wait, MAX_LIMIT_WAIT_MS))
  }

  /** Spreads the requests that are left over the time until the limit is reset. */
  #readLimit(header: (name: string) => string | null): void {
    const limit = seconds(header('x-ratelimit-limit') ?? header('ratelimit-limit'))
    const remaining = seconds(header('x-ratelimit-remaining') ?? header('ratelimit-remaining'))
    const reset = seconds(header('x-ratelimit-reset') ?? header('ratelimit-reset'))
    if (limit === null || remaining === null || reset === null) return
    if (remaining === 0 || remaining > limit * SLOW_BELOW) return
    const leftMs = Math.max(0, reset * SECOND - this.hearth.clock.now())
    this.#notBefore = performance.now() + Math.min(MAX_PAUSE_MS, leftMs / remaining)
  }

  async #waitForTurn(): Promise<void> {
    const { signal } = this.options
    const pause = this.#notBefore - performance.now()
    if (pause > 0) await sleep(pause, signal).catch(() => {})
    if (signal.aborted) throw new OutboundError('the request was given up', 'timeout')
  }
}

/** Puts the pages of a list together. Throws for a list that memory should not hold. */
export class WholeList {
  readonly items: Fields[] = []
  #bytes = 0

  /** Returns the items of this page. */
  add({ body, bytes }: ForgeAnswer): Fields[] {
    this.#bytes += bytes
    if (this.#bytes > MAX_LIST_BYTES)
      throw new ForgeError(`a list is longer than ${MAX_LIST_BYTES >> 20} MiB`, 200)
    const page = listOf(body)
    for (const item of page) this.items.push(item)
    return page
  }
}

/** No list of one record is read beyond this page. */
const MAX_PAGES = 200

/** All pages of a list of one record. `nextOf` is the cursor after an answer; null after the last. */
export async function readWholeList(
  client: ForgeClient,
  path: string,
  nextOf: (answer: ForgeAnswer) => string | null,
): Promise<Fields[]> {
  const whole = new WholeList()
  let cursor: string | null = null
  for (let count = 0; count < MAX_PAGES; count++) {
    const answer = await client.get(`${path}&${pageParameters(cursor)}`)
    whole.add(answer)
    cursor = nextOf(answer)
    if (cursor === null) break
  }
  return whole.items
}

const headerOf =
  (response: StreamedResponse) =>
  (name: string): string | null =>
    response.headers[name] ?? null

/** The address that a header Link names as the next page; null when there is none (RFC 8288). */
function nextLinkOf(link: string | null): URL | null {
  for (const part of (link ?? '').slice(0, 10_000).split(',')) {
    const [target = '', ...parameters] = part.split(';')
    if (!parameters.some((one) => one.trim() === 'rel="next"')) continue
    return URL.parse(target.trim().replace(/^<|>$/g, ''))
  }
  return null
}

export const nextPageOf = (link: string | null): string | null =>
  nextLinkOf(link)?.searchParams.get('page') ?? null

/** Nothing else of a link is taken, so that no answer leads the token elsewhere. */
const PAGE_PARAMETERS = ['page', 'after', 'cursor']

/**
 * The parameters of the next page, as a cursor. GitHub takes no page numbers alone from the 100th page
 * of a list of issues on (status 422), and GitLab none beyond 50,000 issues (status 405). Both take the
 * cursors of their links.
 */
export function nextCursorOf(link: string | null): string | null {
  const asked = nextLinkOf(link)?.searchParams
  const named = PAGE_PARAMETERS.flatMap((name): [string, string][] => {
    const value = asked?.get(name) ?? null
    return value === null ? [] : [[name, value]]
  })
  return named.length === 0 ? null : new URLSearchParams(named).toString()
}

/** The parameters of a page. A cursor is a number, or what `nextCursorOf` returned. */
export const pageParameters = (cursor: string | null): string =>
  cursor === null || /^\d+$/.test(cursor) ? `page=${cursor ?? 1}` : cursor
