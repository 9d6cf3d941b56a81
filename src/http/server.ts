/**
 * The listener. Elysia routes, and nothing else of it is used: it gets no schemas, parses no bodies
 * and maps no answers; every handler has the same source, so that what it infers from sources is
 * the same for all.
 */
import { rmSync } from 'node:fs'
import { Elysia } from 'elysia'
import type { Origin } from '#core/audit.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import { refuseAsJson } from './answers.ts'
import { archiveMounts } from './archive.ts'
import type { Certificate } from './certificate-files.ts'
import { AnswerMemo } from './answer-memo.ts'
import { serve, type Door, type Refuse } from './exchange.ts'
import { gitAddress } from './git.ts'
import { Limiter } from './limiter.ts'
import { toolServer } from './mcp.ts'
import { oauthMounts } from './oauth.ts'
import { restMounts } from './rest.ts'
import { siteMounts } from './site.ts'

/** What answers addresses outside the interfaces; null lets the next one try. */
export type Handler = (
  request: Request,
  server: Pick<Bun.Server<undefined>, 'requestIP' | 'timeout'>,
  origin: () => Origin,
) => Response | null | Promise<Response | null>

export type ListenOptions = {
  host: string
  /** A path to listen on in place of host and port. */
  unix?: string
  /** Encrypts connections. */
  tls?: Certificate
  /** Says who is behind a connection of this machine that a front made, by its port. */
  behind?: (port: number) => string | null
  /** Port 0 picks a free one. */
  port: number
  log: Log
  /** How long running requests may take to end when stopping, in milliseconds. */
  grace?: number
}

export type Doors = {
  git?: Handler
  site?: Handler
  /** How the website tells of a refusal thrown by its handler; JSON unless given. */
  refuse?: Refuse
}

export type RunningServer = {
  readonly url: string
  readonly port: number
  /** Begins to answer; requests that came before have waited. */
  open(hearth: Hearth, doors?: Doors): void
  /**
   * From now on `port` is another one, where this certificate is shown; connections to the port
   * before go on to their end. What is in front (`encrypted.ts`) leads new ones there.
   */
  replaceCertificate(certificate: Certificate): void
  /** Stops accepting, lets running requests end, then cuts what is left. */
  stop(): Promise<void>
}

/** Bodies are capped where they are read; this is above what any push may be. */
const LARGEST_BODY = 64 * 1024 ** 3

/**
 * How long a connection may be without a request before the listener that it came to is stopped.
 */
const OLD_CONNECTIONS_MS = 10 * SECOND

const noSuchPath: Door = ({ request, path }) => {
  throw new Refusal(
    'not_found',
    `${request.method} ${path.slice(0, 200)} is not an address of this interface`,
  )
}

type Server = Bun.Server<undefined>

/** The listener as doors see it, whichever of several took the request. */
type Listener = Pick<Server, 'requestIP' | 'timeout'>

type Router = { fetch(request: Request): Response | Promise<Response>; close(): Promise<void> }

function routerOf(
  hearth: Hearth,
  { git, site, refuse }: Doors,
  server: Listener,
  encrypted: boolean,
): Router {
  // `strictPath: false` accepts a slash at the end. Bun's own router would bypass the uniform
  // handling of methods. `standardHostname` looks for the path from the twelfth character on, which
  // fails `http://git/`; without it `https://` itself would count as a path.
  const app = new Elysia({
    aot: true,
    systemRouter: false,
    nativeStaticResponse: false,
    strictPath: false,
    handler: { standardHostname: encrypted },
  })
  const limiter = new Limiter(hearth)
  const handlerOf = (door: Door, refusing: Refuse = refuseAsJson) =>
    serve(hearth, door, refusing, {
      peerOf: (request) => server.requestIP(request)?.address ?? null,
      limiter,
      lift: (request) => server.timeout(request, 0),
    })
  const mount = (path: string, door: Door, refusing?: Refuse) => {
    const handle = handlerOf(door, refusing)
    const handler = ({ request }: { request: Request }) => handle(request)
    app.all(path, handler, { parse: 'none' })
    // Elysia answers HEAD by reading the whole answer of GET; the doors know better.
    app.route('HEAD', path, handler, { parse: 'none' })
  }
  const tools = toolServer(hearth)
  const memo = new AnswerMemo(hearth)
  for (const one of [
    ...restMounts(hearth, memo),
    ...siteMounts(hearth),
    ...oauthMounts(hearth),
    ...archiveMounts(hearth),
    ...tools.mounts,
  ])
    mount(one.path, one.door, one.refuse)
  for (const prefix of ['/api', '/.well-known']) mount(`${prefix}/*`, noSuchPath)
  const elsewhere: Door = async (exchange) => {
    const { request, path } = exchange
    const origin = () => exchange.origin
    const answer = (await git?.(request, server, origin)) ?? (await site?.(request, server, origin))
    if (answer) return answer
    throw new Refusal('not_found', `${path.slice(0, 200)} does not exist`)
  }
  mount('/', elsewhere, refuse)
  mount('/*', elsewhere, refuse)
  app.compile()
  /** What was asked a moment ago needs no routing. */
  const remembered = (request: Request): Response | null =>
    request.method === 'GET' && !hearth.settings.limits.rate && request.url.includes('/api/')
      ? memo.answer(request)
      : null
  /**
   * Neither do the requests of git clients, whose addresses are like no others: the router would
   * come to the same end.
   */
  const straight = handlerOf(elsewhere, refuse)
  return {
    fetch: (request) =>
      remembered(request) ?? (isForGit(request.url) ? straight(request) : app.fetch(request)),
    close: () => tools.close(),
  }
}

const GIT_ENDING = /\/(?:info\/refs|git-upload-pack|git-receive-pack)$/

function isForGit(url: string): boolean {
  const mark = url.indexOf('?')
  const whole = mark < 0 ? url : url.slice(0, mark)
  return (
    GIT_ENDING.test(whole) &&
    gitAddress(whole.slice(whole.indexOf('/', whole.indexOf('://') + 3))) !== null
  )
}

export function startServer({
  host,
  port,
  unix,
  tls,
  behind,
  log,
  grace = 30 * SECOND,
}: ListenOptions): RunningServer {
  let router: Router | null = null
  const opened = Promise.withResolvers<Router>()
  const answer = (request: Request): Response | Promise<Response> =>
    router === null ? opened.promise.then((ready) => ready.fetch(request)) : router.fetch(request)
  const common = {
    development: false,
    maxRequestBodySize: LARGEST_BODY,
    idleTimeout: 60,
    error: (error) => {
      log.error('a request failed outside its door', { error })
      const body = new Refusal('internal', 'something went wrong here').body(null)
      return new Response(JSON.stringify(body), {
        status: 500,
        headers: { 'content-type': 'application/json' },
      })
    },
  } satisfies Partial<Parameters<typeof Bun.serve>[0]>
  /** Which listener took a request, where there have been several. */
  const takenBy = new WeakMap<Request, Server>()
  const listenOn = (at: number, certificate: Certificate | undefined): Server => {
    if (unix !== undefined) {
      const { idleTimeout: _, ...forSocket } = common
      return Bun.serve({ ...forSocket, unix, fetch: answer })
    }
    // A second process on this port would silently take part of the traffic.
    if (certificate === undefined)
      return Bun.serve({ ...common, hostname: host, port: at, reusePort: false, fetch: answer })
    return Bun.serve({
      ...common,
      hostname: host,
      port: at,
      reusePort: false,
      tls: { cert: certificate.cert, key: certificate.key },
      fetch: (request, taker) => {
        if (taker !== first) takenBy.set(request, taker)
        return answer(request)
      },
    })
  }
  const first: Server = listenOn(port, tls)
  let server = first
  const ending = new Set<Promise<void>>()
  const listener: Listener = {
    requestIP: (request) => {
      // Whoever may write to the socket of this machine is on this machine.
      if (unix !== undefined) return { address: '127.0.0.1', family: 'IPv4', port: 0 }
      const peer = (takenBy.get(request) ?? first).requestIP(request)
      const address = peer && behind?.(peer.port)
      return address ? { ...peer, address } : peer
    },
    timeout: (request, seconds) => (takenBy.get(request) ?? first).timeout(request, seconds),
  }

  const stop = async (): Promise<void> => {
    server.closeIdleConnections()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, grace)
    await Promise.race([Promise.all([server.stop(false), ...ending]), late.promise])
    clearTimeout(timer)
    await router?.close()
    await server.stop(true)
    await first.stop(true)
    if (unix !== undefined) rmSync(unix, { force: true })
  }
  let stopped: Promise<void> | null = null
  return {
    get url() {
      return server.url.href.replace(/\/$/, '')
    },
    get port() {
      return server.port ?? port
    },
    replaceCertificate(certificate) {
      const before = server
      server = listenOn(0, certificate)
      // Stopping cuts connections that have no request yet, so those that have just come are given
      // time for theirs.
      setTimeout(() => {
        const ended = before.stop(false).finally(() => ending.delete(ended))
        ending.add(ended)
        before.closeIdleConnections()
      }, OLD_CONNECTIONS_MS).unref()
    },
    open(hearth, doors = {}) {
      router = routerOf(hearth, doors, listener, tls !== undefined)
      opened.resolve(router)
    },
    stop: () => (stopped ??= stop()),
  }
}
