/**
 * One HTTP request and what is known of it, in the one shape that all entry points take: REST, the
 * tool server, git, the website. A request handler is a function from an exchange to a response.
 * `createListenerHandler` wraps each: the request gets an id, the rate limit is checked, errors
 * become responses, and the response is counted and logged.
 *
 * HEAD: handlers respond to it as to GET, with the same body. The runtime sends the headers only,
 * with the length that the body has (RFC 9110 section 9.3.2), so no handler computes it.
 */
import type { Origin } from '#core/audit.ts'
import type { Caller } from '#core/caller.ts'
import { diskFull, isDiskFullError } from '#core/disk-space.ts'
import { eventLoopProbe } from '#core/event-loop.ts'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { type Block, clientAddress, networkOf, parseBlock } from '#lib/net.ts'
import { SECOND } from '#lib/time.ts'
import { signInCookieOf, visitorOf } from './authenticate.ts'
import { RequestBody } from './body.ts'
import { gitCallerOf } from './git/git-credentials.ts'
import { isLfsCallerSignedIn } from './git/lfs-credentials.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { requestTurns, type TurnRequest } from './request-turns.ts'

/** Request ids that a client or a proxy may choose: short and harmless in a log. */
const ACCEPTED_ID = /^[A-Za-z0-9._:/+=-]{8,128}$/

/** The entry points, as metrics and rate limits count them. */
export type DoorName = 'rest' | 'tools' | 'oauth' | 'git' | 'pages' | 'health'

const GIT_PATH =
  /\/(info\/refs|info\/lfs\/.+|git-upload-pack|git-receive-pack|bundle\/[0-9a-f]{40}\.bundle)$/

export function doorNameOf(path: string): DoorName {
  if (path.startsWith('/api/') || path === '/api') return 'rest'
  if (path.startsWith('/mcp')) return 'tools'
  if (path.startsWith('/oauth/') || path.startsWith('/.well-known/')) return 'oauth'
  if (path === '/livez' || path === '/readyz' || path === '/metrics') return 'health'
  return GIT_PATH.test(path) ? 'git' : 'pages'
}

/** Below the minute that many clients and proxies wait for a response. */
const ANSWER_TIMEOUT_MS = 55 * SECOND

const COUNTED_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** What is needed of the server that accepted the request. */
export type Listener = Pick<Bun.Server<undefined>, 'requestIP' | 'timeout'>

/** For requests that no server accepted, as in tests. */
export const noListener: Listener = { requestIP: () => null, timeout: () => {} }

export class Exchange implements TurnRequest {
  readonly id: string
  /** The path as it was sent, still percent-encoded. */
  readonly path: string
  /** The text after the question mark; empty without one. */
  readonly query: string
  /** The method to respond to: GET for a HEAD request. */
  readonly method: string
  readonly door: DoorName
  readonly startedAt = performance.now()
  /** Set by handlers, for the log. */
  caller: Caller | null = null
  operation: string | null = null
  /** Logged in place of the path, for addresses that are secrets. */
  loggedPath: string | null = null
  /** Set by handlers whose response has the `X-Request-Id` header; adding it later costs more. */
  hasRequestId = false
  /** The `RateLimit-Policy` header; null when requests are not limited. */
  rateLimitPolicy: string | null = null
  /** Called with the status of the response, where requests are limited. */
  onFinish: ((status: number) => void) | null = null
  isWaiting = false
  endTurn?: () => void
  #body: RequestBody | null = null
  // Turns and rate limits ask for these several times, and each time costs microseconds.
  #ip: string | null | undefined = undefined
  #network: string | undefined = undefined
  #credential: string | undefined = undefined

  constructor(
    readonly hearth: Hearth,
    readonly request: Request,
    private readonly listener: Listener = noListener,
  ) {
    const { url, method } = request
    const start = url.indexOf('/', url.indexOf('://') + 3)
    const mark = url.indexOf('?', start)
    this.path = mark < 0 ? url.slice(start) : url.slice(start, mark)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
    this.method = method === 'HEAD' ? 'GET' : method
    this.door = doorNameOf(this.path)
    const sentId = request.headers.get('x-request-id')
    this.id = sentId !== null && ACCEPTED_ID.test(sentId) ? sentId : crypto.randomUUID()
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD'
  }

  get body(): RequestBody {
    return (this.#body ??= new RequestBody(this.request, () =>
      requestTurns(this.hearth).resume(this),
    ))
  }

  /** The time of `performance.now()` by which a response must be sent. */
  get deadlineMs(): number {
    return this.startedAt + ANSWER_TIMEOUT_MS
  }

  /**
   * How long nothing may be sent or received on the connection before it is closed; 0 for no
   * limit, while work waits or a reader is slow. The runtime takes 255 seconds at most.
   */
  setIdleTimeout(seconds: number): void {
    if (seconds === 0) this.leaveTurn()
    this.listener.timeout(this.request, seconds)
  }

  /** Says that the request waits from now on, so that it does not count against its network. */
  leaveTurn(): void {
    this.isWaiting = true
    this.endTurn?.()
  }

  /** The address at the other end of the connection; often a proxy's. */
  get peerAddress(): string | null {
    return this.listener.requestIP(this.request)?.address ?? null
  }

  get network(): string {
    return (this.#network ??= networkOf(this.#clientIp) ?? '')
  }

  get credential(): string {
    return (this.#credential ??=
      this.request.headers.get('authorization') ?? signInCookieOf(this.hearth, this.request))
  }

  isSignedIn(): boolean {
    try {
      const { hearth, request } = this
      if (this.path.includes('/info/lfs/')) return isLfsCallerSignedIn(hearth, request)
      const caller = this.door === 'git' ? gitCallerOf(hearth, request) : visitorOf(hearth, request)
      return caller.kind !== 'anonymous'
    } catch {
      return false
    }
  }

  isAborted(): boolean {
    return this.request.signal.aborted
  }

  /** Where the request came from, for the audit log. Computed on demand: few requests need it. */
  get origin(): Origin {
    const user_agent = this.request.headers.get('user-agent')
    return { request_id: this.id, ip: this.#clientIp, user_agent }
  }

  get #clientIp(): string | null {
    if (this.#ip === undefined) {
      const forwarded = this.request.headers.get('x-forwarded-for')
      this.#ip = clientAddress(this.peerAddress, forwarded, trustedProxies(this.hearth))
    }
    return this.#ip
  }
}

/** The networks of the proxies whose `X-Forwarded-For` counts. */
export const parseTrustedProxies = ({ trusted_proxies }: Hearth['settings']): readonly Block[] =>
  trusted_proxies.map(parseBlock).filter((block) => block !== null)

const trustedProxies = service('trusted-proxies', ({ settings }) => parseTrustedProxies(settings))

export type RequestHandler = (exchange: Exchange) => Response | Promise<Response>

/** Renders a refusal: JSON for REST and the tool server, a page for the website. */
export type RenderRefusal = (exchange: Exchange, refusal: Refusal) => Response

/** An address of the router with its handler, for every method. */
export type HttpRoute = {
  readonly path: string
  readonly handler: RequestHandler
  /** As JSON by default. */
  readonly renderRefusal?: RenderRefusal
}

export type HandlerOptions = {
  readonly listener?: Listener
  readonly rateLimiter?: RateLimiter
}

/** Two `Host` headers arrive joined with a comma, which is in no host name (RFC 9112 3.2). */
function requireOneHost({ headers }: Request): void {
  if (headers.get('host')?.includes(','))
    throw new Refusal('bad_request', 'a request has one Host header')
}

/** The handler for the listener: it never throws, and its response has an `X-Request-Id`. */
export function createListenerHandler(
  hearth: Hearth,
  handler: RequestHandler,
  renderRefusal: RenderRefusal,
  { listener = noListener, rateLimiter }: HandlerOptions = {},
): (request: Request) => Response | Promise<Response> {
  const fail = (exchange: Exchange, error: unknown): Response =>
    finish(exchange, renderError(exchange, error, renderRefusal))
  const probe = eventLoopProbe(hearth)
  const turns = requestTurns(hearth)
  const begin = (exchange: Exchange): Response | Promise<Response> =>
    exchange.door === 'health'
      ? handler(exchange)
      : turns.run(exchange, () => handler(exchange), abandonedResponse)
  return (request) => {
    probe.wake()
    const exchange = new Exchange(hearth, request, listener)
    try {
      requireOneHost(request)
      const refused = rateLimiter?.check(exchange) ?? null
      if (refused !== null) return finish(exchange, renderTooMany(exchange, refused, renderRefusal))
      const response = begin(exchange)
      return response instanceof Promise
        ? response.then(
            (answer) => finish(exchange, answer),
            (error) => fail(exchange, error),
          )
        : finish(exchange, response)
    } catch (error) {
      return fail(exchange, error)
    }
  }
}

/** The client has disconnected, so nobody reads this. */
const abandonedResponse = (): Response => new Response(null, { status: 499 })

function renderError(exchange: Exchange, error: unknown, renderRefusal: RenderRefusal): Response {
  const { hearth, request } = exchange
  if (error instanceof Refusal) return renderRefusal(exchange, error)
  if (isDiskFullError(error)) {
    hearth.log.error('the disk is full or may only be read', { request_id: exchange.id, error })
    return renderRefusal(exchange, diskFull())
  }
  if (request.signal.aborted) return abandonedResponse()
  hearth.log.error('a request failed', {
    request_id: exchange.id,
    method: request.method,
    path: loggedPathOf(exchange),
    operation: exchange.operation,
    error,
  })
  return renderRefusal(
    exchange,
    new Refusal('internal', 'something went wrong here; it is in the log under this request id'),
  )
}

export type RateRefusal = { readonly policy: string; readonly waitSeconds: number }

/** JSON for the interfaces; a line of text for git and browsers. */
function renderTooMany(
  exchange: Exchange,
  { policy, waitSeconds }: RateRefusal,
  renderRefusal: RenderRefusal,
): Response {
  exchange.hearth.metrics.recordRefusal('rate')
  const headers = { 'retry-after': String(waitSeconds), ratelimit: `"${policy}";r=0;t=60` }
  const unit = waitSeconds === 1 ? 'second' : 'seconds'
  const message = `too many requests: wait ${waitSeconds} ${unit}`
  if (exchange.door !== 'git' && exchange.door !== 'pages')
    return renderRefusal(
      exchange,
      new Refusal('rate_limited', message, { reason: 'rate', headers }),
    )
  return new Response(`${message}\n`, {
    status: 429,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
  })
}

/** Pages whose address is all that is needed to open them. */
const SECRET_PAGE =
  /(\/security\/reports\/follow|^\/notifications\/unsubscribe|^\/-\/in\/[^/]+)\/[^/]+/

/** The path without what is secret in it: that of a page, and tokens that a client put into it. */
const loggedPathOf = ({ path, loggedPath }: Exchange): string =>
  loggedPath ??
  (path.includes('hth') ? path.replace(/hth[uwar]_[0-9A-Za-z]+/g, '[redacted]') : path).replace(
    SECRET_PAGE,
    '$1/[redacted]',
  )

/**
 * Whether browsers are told to use HTTPS only (RFC 6797). The rule holds for every port of the host
 * name, so it is sent only where this forge is the site at that name. Behind a proxy, the proxy
 * decides.
 */
const requiresHttps = ({ tls, site_url }: Hearth['settings']): boolean =>
  tls !== null && /^https:\/\/[^:/]+\/?$/.test(site_url)

/** Adds the headers of every response, counts it and logs it. */
export function finish(exchange: Exchange, response: Response): Response {
  const { hearth, request, caller } = exchange
  if (!exchange.hasRequestId) response.headers.set('x-request-id', exchange.id)
  if (exchange.rateLimitPolicy !== null)
    response.headers.set('ratelimit-policy', exchange.rateLimitPolicy)
  if (requiresHttps(hearth.settings))
    response.headers.set('strict-transport-security', 'max-age=31536000')
  exchange.onFinish?.(response.status)
  const ms = Math.round((performance.now() - exchange.startedAt) * 100) / 100
  const method = COUNTED_METHODS.has(request.method) ? request.method : 'other'
  hearth.metrics.recordRequest(exchange.door, method, response.status, ms)
  // Without the query: links and searches hold what nobody should find in a log.
  hearth.log.info('request', {
    request_id: exchange.id,
    method: request.method,
    path: loggedPathOf(exchange),
    status: response.status,
    ms,
    operation: exchange.operation,
    caller: caller === null || caller.kind === 'anonymous' ? null : caller.id,
  })
  return response
}
