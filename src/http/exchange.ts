/**
 * One request on its way through a door: it gets an id, its errors become answers, and it is
 * logged. Every door is a function from an exchange to a response, and `serve` wraps it, so that
 * none of this is written twice.
 */
import type { Origin } from '#core/audit.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { isWithoutRoom, noRoom } from '#core/room.ts'
import { Refusal } from '#lib/errors.ts'
import { clientAddress, parseBlock, type Block } from '#lib/net.ts'
import { SECOND } from '#lib/time.ts'
import type { Limiter } from './limiter.ts'

/** Ids that a client or a proxy may choose: short and harmless in a log. */
const SANE_ID = /^[A-Za-z0-9._:/+=-]{8,128}$/

export type DoorName = 'rest' | 'tools' | 'oauth' | 'git' | 'pages' | 'health'

const GIT = /\/(info\/refs|git-upload-pack|git-receive-pack)$/

/** Which door an address belongs to, for counting. */
export function doorOf(path: string): DoorName {
  if (path.startsWith('/api/') || path === '/api') return 'rest'
  if (path.startsWith('/mcp')) return 'tools'
  if (path.startsWith('/oauth/') || path.startsWith('/.well-known/')) return 'oauth'
  if (path === '/livez' || path === '/readyz' || path === '/metrics') return 'health'
  return GIT.test(path) ? 'git' : 'pages'
}

/** Milliseconds; the listener waits a minute. */
const LONGEST_ANSWER = 55 * SECOND

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export class Exchange {
  readonly id: string
  /** The path as it came, still percent-encoded. */
  readonly path: string
  /** What follows the question mark, empty without one. */
  readonly query: string
  /** Set by the doors for the log. */
  caller: Caller | null = null
  operation: string | null = null
  /** What the log says in place of the path, for addresses that are a secret themselves. */
  loggedPath: string | null = null
  /** Set by whoever makes an answer that already has the id; adding it later costs more. */
  carriesId = false
  /** What the answer says of the limit that it came under; null without limits. */
  policy: string | null = null
  /** Told the status of the answer, where requests are counted. */
  leave: ((status: number) => void) | null = null
  /** The door by which it came. */
  readonly door: DoorName
  readonly started = performance.now()

  constructor(
    readonly hearth: Hearth,
    readonly request: Request,
    private readonly peer: () => string | null = () => null,
    private readonly lift: ((request: Request) => void) | null = null,
  ) {
    const { url } = request
    const start = url.indexOf('/', url.indexOf('://') + 3)
    const mark = url.indexOf('?', start)
    this.path = mark < 0 ? url.slice(start) : url.slice(start, mark)
    this.query = mark < 0 ? '' : url.slice(mark + 1)
    this.door = doorOf(this.path)
    const sent = request.headers.get('x-request-id')
    this.id = sent !== null && SANE_ID.test(sent) ? sent : crypto.randomUUID()
  }

  /**
   * The listener ends a connection on which nothing moves; by then an answer is given, whatever it
   * is. As `performance.now()` tells the time.
   */
  get until(): number {
    return this.started + LONGEST_ANSWER
  }

  /**
   * Lets the connection be silent for longer than others, while its work waits or its reader is
   * slow.
   */
  allowSilence(): void {
    this.lift?.(this.request)
  }

  /**
   * Where the request came from, for the audit log. Worked out when asked for: most requests change
   * nothing.
   */
  get origin(): Origin {
    const { headers } = this.request
    return {
      request_id: this.id,
      ip: clientAddress(this.peer(), headers.get('x-forwarded-for'), proxiesOf(this.hearth)),
      user_agent: headers.get('user-agent'),
    }
  }
}

const proxies = new WeakMap<Hearth['settings'], readonly Block[]>()

/** The proxies whose forwarded addresses are believed. */
export function proxiesOf({ settings }: Pick<Hearth, 'settings'>): readonly Block[] {
  let list = proxies.get(settings)
  if (!list) {
    list = settings.trusted_proxies.map(parseBlock).filter((block) => block !== null)
    proxies.set(settings, list)
  }
  return list
}

export type Door = (exchange: Exchange) => Response | Promise<Response>

/** How a door tells of a refusal; REST and the tool server answer JSON, the website a page. */
export type Refuse = (exchange: Exchange, refusal: Refusal) => Response

/** Makes the handler of a door: it never throws and its answer always carries `X-Request-Id`. */
export function serve(
  hearth: Hearth,
  door: Door,
  refuse: Refuse,
  {
    peerOf,
    limiter,
    lift,
  }: {
    peerOf?: (request: Request) => string | null
    limiter?: Limiter
    lift?: (request: Request) => void
  } = {},
): (request: Request) => Response | Promise<Response> {
  const fail = (exchange: Exchange, error: unknown): Response => {
    if (error instanceof Refusal) return finish(exchange, refuse(exchange, error))
    if (isWithoutRoom(error)) {
      hearth.log.error('the disk is full or may only be read', { request_id: exchange.id, error })
      return finish(exchange, refuse(exchange, noRoom()))
    }
    if (exchange.request.signal.aborted)
      return finish(exchange, new Response(null, { status: 499 }))
    hearth.log.error('a request failed', {
      request_id: exchange.id,
      method: exchange.request.method,
      path: shownPath(exchange),
      operation: exchange.operation,
      error,
    })
    return finish(
      exchange,
      refuse(
        exchange,
        new Refusal(
          'internal',
          'something went wrong here; it is in the log under this request id',
        ),
      ),
    )
  }
  return (request) => {
    const exchange = new Exchange(hearth, request, peerOf && (() => peerOf(request)), lift)
    try {
      const verdict = limiter?.enter(exchange)
      exchange.policy = verdict?.policy ?? null
      if (verdict?.refused) return finish(exchange, tooMany(exchange, verdict.refused, refuse))
      if (limiter) exchange.leave = (status) => limiter.leave(exchange, status)
      const answer = door(exchange)
      return answer instanceof Promise
        ? answer.then(
            (response) => finish(exchange, response),
            (error) => fail(exchange, error),
          )
        : finish(exchange, answer)
    } catch (error) {
      return fail(exchange, error)
    }
  }
}

/**
 * The answer to a request above its limit: JSON of the interfaces, a line of text for git and
 * people.
 */
function tooMany(
  exchange: Exchange,
  { policy, wait }: { policy: string; wait: number },
  refuse: Refuse,
): Response {
  exchange.hearth.measures.refuse('rate')
  const headers = { 'retry-after': String(wait), ratelimit: `"${policy}";r=0;t=60` }
  const message = `too many requests: wait ${wait} ${wait === 1 ? 'second' : 'seconds'}`
  if (exchange.door === 'git' || exchange.door === 'pages')
    return new Response(`${message}\n`, {
      status: 429,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        ...headers,
      },
    })
  return refuse(exchange, new Refusal('rate_limited', message, { reason: 'rate', headers }))
}

/** The path as it may be logged: a token that somebody put into it is left out. */
const shownPath = ({ path, loggedPath }: Exchange): string =>
  loggedPath ??
  (path.includes('hth') ? path.replace(/hth[uwar]_[0-9A-Za-z]+/g, '[redacted]') : path)

/**
 * Whether browsers may be told to come back encrypted only (RFC 6797). What they are told holds for
 * every port of the name, so it is said only where this forge is the site of its name; behind a
 * proxy it is the proxy's to say.
 */
const onlyEncrypted = ({ tls, site_url }: Hearth['settings']): boolean =>
  tls !== null && /^https:\/\/[^:/]+\/?$/.test(site_url)

/** The last thing that happens to an answer: it has its id, and is logged. */
export function finish(exchange: Exchange, response: Response): Response {
  const { hearth, request, caller } = exchange
  if (!exchange.carriesId) response.headers.set('x-request-id', exchange.id)
  if (exchange.policy !== null) response.headers.set('ratelimit-policy', exchange.policy)
  if (onlyEncrypted(hearth.settings))
    response.headers.set('strict-transport-security', 'max-age=31536000')
  exchange.leave?.(response.status)
  const ms = Math.round((performance.now() - exchange.started) * 100) / 100
  hearth.measures.request(
    exchange.door,
    METHODS.has(request.method) ? request.method : 'other',
    response.status,
    ms,
  )
  // The query is left out: links and searches hold what nobody should find in a log.
  hearth.log.info('request', {
    request_id: exchange.id,
    method: request.method,
    path: shownPath(exchange),
    status: response.status,
    ms,
    operation: exchange.operation,
    caller: caller === null || caller.kind === 'anonymous' ? null : caller.id,
  })
  return response
}
