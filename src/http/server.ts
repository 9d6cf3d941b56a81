/**
 * The HTTP server: it listens, routes requests to their handlers and stops gracefully.
 * Elysia's router finds the route of a path (`path-router.ts`).
 */
import { rmSync } from 'node:fs'
import type { Hearth } from '#core/hearth.ts'
import { agentTools } from '#core/agent-tools.ts'
import { jobDoors } from '#core/job-doors.ts'
import { Refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import {
  createListenerHandler,
  type Exchange,
  type HttpRoute,
  type Listener,
  type RequestHandler,
} from './exchange.ts'
import { departedResponse } from './departed.ts'
import { artifactRoutes } from './artifact-routes.ts'
import { archiveRoutes } from './git/archive-routes.ts'
import { goImportResponse } from './git/go-import.ts'
import { openJobDoor } from './job-door.ts'
import type { Certificate } from './listener/certificate-files.ts'
import { oauthRoutes } from './oauth-routes.ts'
import { PathRouter } from './path-router.ts'
import { mountedProtocolRoutes } from './protocol-routes.ts'
import { RateLimiter } from './rate-limiter.ts'
import { renderJsonRefusal } from './responses.ts'
import { restRoutes } from './rest/rest-routes.ts'
import { serviceRoutes } from './service-routes.ts'
import { ToolServer } from './tools/tool-server.ts'

/** Handles addresses outside of the interfaces: the git server, the website. */
export type FallbackServer = {
  /** Null leaves the request to the next one. */
  handle(exchange: Exchange): Response | null | Promise<Response | null>
}

export type ListenOptions = {
  host: string
  /** A path to listen on in place of host and port. */
  unix?: string
  /** Encrypts connections. */
  tls?: Certificate
  /** The client's address for a connection that a front on this machine opened, by its port. */
  clientAddressOf?: (port: number) => string | null
  /** Port 0 picks a free one. */
  port: number
  log: Log
  /** How long running requests may take to end when the server stops. */
  graceMs?: number
}

/** What handles the addresses that are no interface's. */
export type Fallbacks = {
  readonly git?: FallbackServer
  /** It renders the refusals that both throw; as JSON by default. */
  readonly site?: FallbackServer & { refuse?(exchange: Exchange, refusal: Refusal): Response }
}

export type RunningServer = {
  readonly url: string
  readonly port: number
  /** Starts to respond. Requests that arrived before have waited. */
  open(hearth: Hearth, fallbacks?: Fallbacks): void
  /**
   * From now on `port` is another port, which has this certificate. Connections to the port before
   * go on until they end. The front (`fronted-server.ts`) sends new ones to the new port.
   */
  replaceCertificate(certificate: Certificate): void
  /** Stops accepting, waits for running requests, then closes what is left. */
  stop(): Promise<void>
}

/** Above any push; every handler has a limit of its own where it reads the body. */
const MAX_REQUEST_BYTES = 64 * 1024 ** 3

/**
 * How long a connection may be idle. Proxies reuse idle connections for 60 s (nginx, AWS), 90 s
 * (Go) or 120 s (Caddy). If the server closes one earlier, a request that is just being sent on it
 * fails, and the proxy responds with 502. The runtime takes 255 at most.
 */
const IDLE_TIMEOUT_SECONDS = 150

/** How long connections to an old certificate's port may still send their first request. */
const OLD_CONNECTIONS_MS = 10 * SECOND

const notFoundHandler: RequestHandler = ({ request, path }) => {
  throw new Refusal(
    'not_found',
    `${request.method} ${path.slice(0, 200)} is not an address of this interface`,
  )
}

type Server = Bun.Server<undefined>

/** The requests of one open forge. */
class RequestRouter {
  readonly #routes = new PathRouter<HttpRoute>()
  readonly #tools: ToolServer
  readonly #handle: (request: Request) => Response | Promise<Response>

  constructor(hearth: Hearth, fallbacks: Fallbacks, listener: Listener) {
    this.#tools = new ToolServer(hearth)
    agentTools(hearth).answer = (request) => this.#tools.answerAgent(request)
    for (const route of [
      ...restRoutes(hearth),
      ...serviceRoutes(hearth),
      ...oauthRoutes(hearth),
      ...archiveRoutes(hearth),
      ...mountedProtocolRoutes(hearth),
      ...artifactRoutes(hearth),
      ...this.#tools.routes,
      ...['/api', '/.well-known'].map((prefix) => ({
        path: `${prefix}/*`,
        handler: notFoundHandler,
      })),
    ])
      this.#routes.add(route.path, route)
    const fallback = fallbackRoute(fallbacks)
    const routeOf = ({ path }: Exchange): HttpRoute => this.#routes.find(path) ?? fallback
    this.#handle = createListenerHandler(
      hearth,
      (exchange) => departedResponse(exchange) ?? routeOf(exchange).handler(exchange),
      (exchange, refusal) =>
        (routeOf(exchange).renderRefusal ?? renderJsonRefusal)(exchange, refusal),
      { listener, rateLimiter: new RateLimiter(hearth) },
    )
  }

  fetch(request: Request): Response | Promise<Response> {
    return this.#handle(request)
  }

  close(): Promise<void> {
    return this.#tools.close()
  }
}

/** Everything that is no interface's: git, the website. */
const fallbackRoute = ({ git, site }: Fallbacks): HttpRoute => ({
  path: '/*',
  handler: async (exchange) => {
    const response =
      goImportResponse(exchange) ?? (await git?.handle(exchange)) ?? (await site?.handle(exchange))
    if (response) return response
    throw new Refusal('not_found', `${exchange.path.slice(0, 200)} does not exist`)
  },
  renderRefusal: (exchange, refusal) =>
    site?.refuse?.(exchange, refusal) ?? renderJsonRefusal(exchange, refusal),
})

/** Responds to errors that no handler caught, which only a fault of the router causes. */
const internalError =
  (log: Log) =>
  (error: unknown): Response => {
    log.error('a request failed outside of its handler', { error })
    const body = new Refusal('internal', 'something went wrong here').body(null)
    return new Response(JSON.stringify(body), {
      status: 500,
      headers: { 'content-type': 'application/json' },
    })
  }

/** The listeners of one server: one at a time, and several while a certificate is replaced. */
class HttpServer implements RunningServer {
  #router: RequestRouter | null = null
  readonly #opened = Promise.withResolvers<RequestRouter>()
  readonly #first: Server
  #current: Server
  /** The listener of requests that the first one did not accept: another one, or a job's door. */
  readonly #acceptedBy = new WeakMap<Request, Listener>()
  readonly #ending = new Set<Promise<void>>()
  #stopped: Promise<void> | null = null

  constructor(private readonly options: ListenOptions) {
    this.#first = this.#listen(options.port, options.tls)
    this.#current = this.#first
  }

  get url(): string {
    return this.#current.url.href.replace(/\/$/, '')
  }

  get port(): number {
    return this.#current.port ?? this.options.port
  }

  open(hearth: Hearth, fallbacks: Fallbacks = {}): void {
    const listener: Listener = {
      requestIP: (request) => this.#requestIP(request),
      timeout: (request, seconds) => this.#listenerOf(request).timeout(request, seconds),
    }
    const isEncrypted = this.options.tls !== undefined
    const router = new RequestRouter(hearth, fallbacks, listener)
    this.#router = router
    this.#opened.resolve(router)
    const fetch = (request: Request, door: Listener): Response | Promise<Response> => {
      this.#acceptedBy.set(request, door)
      return router.fetch(request)
    }
    jobDoors(hearth).open = (options) => openJobDoor(hearth, options, { isEncrypted, fetch })
  }

  replaceCertificate(certificate: Certificate): void {
    const before = this.#current
    this.#current = this.#listen(0, certificate)
    // Stopping closes connections without a request, so new ones get time for their first.
    setTimeout(() => {
      const ended = before.stop(false).finally(() => this.#ending.delete(ended))
      this.#ending.add(ended)
      before.closeIdleConnections()
    }, OLD_CONNECTIONS_MS).unref()
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop())
  }

  async #stop(): Promise<void> {
    const { graceMs = 30 * SECOND, unix } = this.options
    this.#current.closeIdleConnections()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, graceMs)
    await Promise.race([Promise.all([this.#current.stop(false), ...this.#ending]), late.promise])
    clearTimeout(timer)
    await this.#router?.close()
    await this.#current.stop(true)
    await this.#first.stop(true)
    if (unix !== undefined) rmSync(unix, { force: true })
  }

  #handle(request: Request): Response | Promise<Response> {
    return this.#router === null
      ? this.#opened.promise.then((router) => router.fetch(request))
      : this.#router.fetch(request)
  }

  #listen(port: number, certificate: Certificate | undefined): Server {
    const { host: hostname, unix, log } = this.options
    const fetch = (request: Request): Response | Promise<Response> => this.#handle(request)
    const common = {
      development: false,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      error: internalError(log),
    }
    if (unix !== undefined) return Bun.serve({ ...common, unix, fetch })
    // Without `reusePort: false`, a second process on the port silently takes part of the traffic.
    const tcp = { ...common, hostname, port, reusePort: false, idleTimeout: IDLE_TIMEOUT_SECONDS }
    if (certificate === undefined) return Bun.serve({ ...tcp, fetch })
    return Bun.serve({
      ...tcp,
      tls: { cert: certificate.cert, key: certificate.key },
      fetch: (request, server) => {
        if (server !== this.#first) this.#acceptedBy.set(request, server)
        return this.#handle(request)
      },
    })
  }

  #listenerOf(request: Request): Listener {
    return this.#acceptedBy.get(request) ?? this.#first
  }

  #requestIP(request: Request): Bun.SocketAddress | null {
    const { unix, clientAddressOf } = this.options
    const listener = this.#listenerOf(request)
    // Requests of jobs have none, however the server listens.
    if (unix !== undefined && listener !== this.#first) return listener.requestIP(request)
    // Whoever may write to a socket of this machine is on this machine.
    if (unix !== undefined) return { address: '127.0.0.1', family: 'IPv4', port: 0 }
    const peer = listener.requestIP(request)
    const address = peer && clientAddressOf?.(peer.port)
    return address ? { ...peer, address } : peer
  }
}

export const startServer = (options: ListenOptions): RunningServer => new HttpServer(options)
