/**
 * The listener. Elysia routes, and nothing else of it is used: it gets no schemas, parses no bodies and maps no answers;
 * every handler has the same source, so that what it infers from sources is the same for all.
 */
import { Elysia } from 'elysia'
import type { Origin } from '#core/audit.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import { refuseAsJson } from './answers.ts'
import { archiveMounts } from './archive.ts'
import { AnswerMemo } from './answer-memo.ts'
import { serve, type Door, type Refuse } from './exchange.ts'
import { toolServer } from './mcp.ts'
import { oauthMounts } from './oauth.ts'
import { restMounts } from './rest.ts'
import { siteMounts } from './site.ts'

/** What answers addresses outside the interfaces; null lets the next one try. */
export type Handler = (request: Request, server: Bun.Server<undefined>, origin: () => Origin) => Response | null | Promise<Response | null>

export type ListenOptions = {
  host: string
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
  /** Stops accepting, lets running requests end, then cuts what is left. */
  stop(): Promise<void>
}

/** Bodies are capped where they are read; this is above what any push may be. */
const LARGEST_BODY = 64 * 1024 ** 3

const noSuchPath: Door = ({ request, path }) => {
  throw new Refusal('not_found', `${request.method} ${path.slice(0, 200)} is not an address of this interface`)
}

type Router = { fetch(request: Request): Response | Promise<Response>; close(): Promise<void> }

function routerOf(hearth: Hearth, { git, site, refuse }: Doors, server: Bun.Server<undefined>): Router {
  // `strictPath: false` accepts a slash at the end. Bun's own router would bypass the uniform handling of methods.
  const app = new Elysia({ aot: true, systemRouter: false, nativeStaticResponse: false, strictPath: false })
  const mount = (path: string, door: Door, refusing: Refuse = refuseAsJson) => {
    const handle = serve(hearth, door, refusing, (request) => server.requestIP(request)?.address ?? null)
    const handler = ({ request }: { request: Request }) => handle(request)
    app.all(path, handler, { parse: 'none' })
    // Elysia answers HEAD by reading the whole answer of GET; the doors know better.
    app.route('HEAD', path, handler, { parse: 'none' })
  }
  const tools = toolServer(hearth)
  const memo = new AnswerMemo(hearth)
  for (const one of [...restMounts(hearth, memo), ...siteMounts(hearth), ...oauthMounts(hearth), ...archiveMounts(hearth), ...tools.mounts]) mount(one.path, one.door, one.refuse)
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
  const remembered = (request: Request): Response | null => (request.method === 'GET' && request.url.includes('/api/') ? memo.answer(request) : null)
  return { fetch: (request) => remembered(request) ?? app.fetch(request), close: () => tools.close() }
}

export function startServer({ host, port, log, grace = 30 * SECOND }: ListenOptions): RunningServer {
  let router: Router | null = null
  const opened = Promise.withResolvers<Router>()
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: host,
    port,
    fetch: (request) => (router === null ? opened.promise.then((ready) => ready.fetch(request)) : router.fetch(request)),
    // A second process on this port would silently take part of the traffic.
    reusePort: false,
    development: false,
    maxRequestBodySize: LARGEST_BODY,
    idleTimeout: 60,
    error: (error) => {
      log.error('a request failed outside its door', { error })
      const body = new Refusal('internal', 'something went wrong here').body(null)
      return new Response(JSON.stringify(body), { status: 500, headers: { 'content-type': 'application/json' } })
    },
  })

  const stop = async (): Promise<void> => {
    server.closeIdleConnections()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, grace)
    await Promise.race([server.stop(false), late.promise])
    clearTimeout(timer)
    await router?.close()
    await server.stop(true)
  }
  let stopped: Promise<void> | null = null
  return {
    url: server.url.href.replace(/\/$/, ''),
    port: server.port ?? port,
    open(hearth, doors = {}) {
      router = routerOf(hearth, doors, server)
      opened.resolve(router)
    },
    stop: () => (stopped ??= stop()),
  }
}
