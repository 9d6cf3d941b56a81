/**
 * The door of a run: a unix socket that only its box can reach. Whoever speaks on it is the agent,
 * so no key and no token is in the box. Behind it are the models of the workspace and the tools of
 * the forge, with the rights of the agent, and nothing else.
 */
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { agentTools } from '#core/agent-tools.ts'
import { nowhere } from '#core/audit.ts'
import type { AgentCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { protocolRoutes, type ProtocolRequest, type ProtocolRoute } from '#core/protocol-routes.ts'
import { service } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { RateCounter } from '#lib/rate-counter.ts'
import { MINUTE } from '#lib/time.ts'
import { DOOR_URL } from '#runner'

const MAX_REQUESTS = 16
const MAX_BODY_BYTES = 32 * 1024 ** 2
const GATEWAY = '/model'
const TOOLS_PATH = '/mcp'
export const TOOLS_URL = `${DOOR_URL}${TOOLS_PATH}`
const MAX_TOOL_BYTES = 4 * 1024 ** 2
const MAX_TOOL_REQUESTS_A_MINUTE = 300

/** What is listed of all that the agent may call: an agent reads the list with each of its turns. */
const LISTED_TOOLS = [
  'get_issue',
  'list_comments',
  'add_comment',
  'get_pull',
  'get_pull_checks',
  'search_context',
  'recall',
  'remember',
]

export type Door = { close(): Promise<void> }

const refusal = (status: number, message: string): Response =>
  Response.json({ error: { type: 'permission_error', message } }, { status })

/** The route of the model gateway at a path that is sent without its prefix, or with it. */
function routeOf(hearth: Hearth, path: string): { route: ProtocolRoute; path: string } | null {
  // Nothing that a later reader could decode into another path.
  if (!/^\/[\w.:/-]*$/.test(path) || path.includes('//') || /(^|\/)\.\.?(\/|$)/.test(path))
    return null
  const full = path.startsWith(`${GATEWAY}/`) ? path : `${GATEWAY}${path}`
  const routes = protocolRoutes.all(hearth).filter((one) => one.path.startsWith(`${GATEWAY}/`))
  const route =
    routes.find((one) => one.path === full) ??
    routes.find((one) => one.path.endsWith('/*') && full.startsWith(one.path.slice(0, -1)))
  return route ? { route, path: full } : null
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const limit = Math.min(maxBytes, MAX_BODY_BYTES)
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    throw new Refusal('unsupported_media_type', 'a body is sent as it is')
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > limit) throw new Refusal('too_large', `a body has at most ${limit} bytes`)
  return bytes
}

/** Its addresses are those of the gateway; credentials that the program sends are not read. */
const protocolRequest = (
  request: Request,
  { as, path }: { as: AgentCaller; path: string },
): ProtocolRequest => ({
  request,
  as,
  path,
  query: new URL(request.url, DOOR_URL).search.slice(1),
  origin: nowhere,
  isPrivate: true,
  bytes: (maxBytes) => readBody(request, maxBytes),
  stream: async function* (maxBytes) {
    yield await readBody(request, maxBytes)
  },
  wait: () => {},
  keepOpen: () => {},
})

/** Whether the tools of the forge are at the door. */
export const hasTools = (hearth: Hearth): boolean => agentTools(hearth).answer !== null

/** Requests for tools by the socket of their door. */
const toolRequests = service(
  'tool requests of agent programs',
  ({ clock }) => new RateCounter(clock),
)

/** The response of the tool server. A program that calls in a circle is slowed down. */
async function answerTools(
  { hearth, socket, caller: currentCaller }: DoorOptions,
  request: Request,
  caller: AgentCaller,
): Promise<Response> {
  const { answer } = agentTools(hearth)
  if (answer === null) return refusal(503, 'the tools are not available now')
  const limit = { key: socket, maxPerWindow: MAX_TOOL_REQUESTS_A_MINUTE, windowMs: MINUTE }
  if (toolRequests(hearth).take(limit) !== null)
    return refusal(429, `at most ${MAX_TOOL_REQUESTS_A_MINUTE} requests a minute`)
  try {
    const body = await readBody(request, MAX_TOOL_BYTES)
    return await answer({ request, body, caller, currentCaller, listed: LISTED_TOOLS })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refusal(error.status, error.message)
  }
}

export type DoorOptions = {
  readonly hearth: Hearth
  readonly socket: string
  /** The agent with the rights that it has now; null once it has ended. */
  readonly caller: () => AgentCaller | null
}

/** Opens the door at a path in a folder of its own. */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { hearth, socket, caller } = options
  rmSync(socket, { force: true })
  // Addresses of sockets have at most 107 bytes, which the path of a data directory can exceed.
  const folder = openSync(dirname(socket), constants.O_RDONLY | constants.O_DIRECTORY)
  let open = 0
  const answer = async (request: Request): Promise<Response> => {
    const as = caller()
    if (as === null) return refusal(403, 'this agent has ended')
    const { pathname } = new URL(request.url, DOOR_URL)
    const found = pathname === TOOLS_PATH ? null : routeOf(hearth, pathname)
    if (found === null && pathname !== TOOLS_PATH)
      return refusal(403, 'this address is not for agents')
    if (open >= MAX_REQUESTS) return refusal(429, `at most ${MAX_REQUESTS} requests at once`)
    open++
    try {
      return found === null
        ? await answerTools(options, request, as)
        : await found.route.handle(hearth, protocolRequest(request, { as, path: found.path }))
    } finally {
      open--
    }
  }
  const server = Bun.serve({
    unix: `/proc/self/fd/${folder}/socket`,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request, listening) => {
      // A model may think for minutes.
      listening.timeout(request, 0)
      return answer(request)
    },
    error: (error) => {
      hearth.log.error('a request of an agent program failed', { error })
      return refusal(500, 'something went wrong here')
    },
  })
  await chmod(socket, 0o600)
  return {
    close: async () => {
      rmSync(socket, { force: true })
      await server.stop(true)
      closeSync(folder)
    },
  }
}
