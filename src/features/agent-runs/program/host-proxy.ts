/**
 * The way from the box of a program to the hosts that the setting `agents.hosts` names and its
 * repository permits. Names are resolved by the server, by the rules of all outbound requests. What a
 * program asks for is told to its session, whether it is reached or not.
 */
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import type { RepoSettings } from '#features/repos/index.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import {
  DOOR_URL,
  doorSocket,
  openTunnelProxy,
  proxySocket,
  type TunnelProxy,
  type TunnelTarget,
  type Workplace,
} from '#runner'

const DOOR = new URL(DOOR_URL).host
const MAX_CONNECTIONS = 64
const MAX_TRANSFER_MS = 2 * HOUR
const MAX_IDLE_MS = 5 * MINUTE

/** Headers of one connection (RFC 9110, section 7.6.1), and what the client sets by itself. */
const OWN_HEADERS = new Set(
  'connection keep-alive proxy-connection te trailer transfer-encoding upgrade host proxy-authorization proxy-authenticate'.split(
    ' ',
  ),
)

/** The hosts that programs reach in a repository. */
export const hostsOf = (
  { settings }: Pick<Hearth, 'settings'>,
  { agent_hosts }: Pick<RepoSettings, 'agent_hosts'>,
): readonly string[] =>
  settings.agents.hosts.filter((host) => agent_hosts === null || agent_hosts.includes(host))

export type HostProxyOptions = {
  readonly hearth: Hearth
  readonly place: Workplace
  /** Each as `host:port`. */
  readonly hosts: readonly string[]
  /** False once the agent has ended. */
  readonly isOpen: () => boolean
  /** Called with each host that is asked for; `refusal` says why it is not reached. */
  readonly onHost: (host: string, refusal: string | null) => void
}

const keptHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OWN_HEADERS.has(name) ? [[name, value]] : [],
    ),
  )

class HostProxy {
  readonly #client
  #open = 0

  constructor(
    private readonly options: HostProxyOptions,
    /** The socket of the door. */
    private readonly door: string,
  ) {
    this.#client = outboundClient(options.hearth)
  }

  #refuse(host: string, why: string): OutboundError {
    this.options.onHost(host, why)
    return new OutboundError(why, 'blocked_address')
  }

  /** Throws OutboundError for a host that is not reached from here. */
  #require(host: string): void {
    if (!this.options.isOpen()) throw new OutboundError('this agent has ended', 'blocked_address')
    if (!this.options.hosts.includes(host))
      throw this.#refuse(host, 'agents of this repository do not reach this host')
  }

  findTarget = async (name: string, port: number): Promise<TunnelTarget> => {
    const host = `${name}:${port}`
    // Some programs send their requests to the door by the proxy too.
    if (host === DOOR) return { path: this.door }
    this.#require(host)
    try {
      const { address } = await this.#client.checkAddress(new URL(`https://${host}`))
      this.options.onHost(host, null)
      return { host: address, port }
    } catch (error) {
      throw error instanceof OutboundError ? this.#refuse(host, error.message) : error
    }
  }

  /** Sends an unencrypted request on, whose target is a whole address. */
  answer = (request: IncomingMessage, response: ServerResponse): void => {
    const late = new AbortController()
    response.on('close', () => late.abort())
    this.#open++
    this.#forward(request, response, late.signal)
      .catch((error: unknown) => {
        const why = error instanceof OutboundError ? error.message : 'the connection broke'
        if (response.headersSent) return response.destroy()
        const isRefused = error instanceof OutboundError && error.fault === 'blocked_address'
        response.writeHead(isRefused ? 403 : 502, { 'content-type': 'text/plain' }).end(`${why}\n`)
      })
      .finally(() => this.#open--)
  }

  async #forward(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const url = URL.parse(request.url ?? '')
    if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '')
      throw new OutboundError('this is a proxy for http and for tunnels', 'blocked_address')
    const host = `${url.hostname}:${url.port || 80}`
    this.#require(host)
    if (this.#open > MAX_CONNECTIONS) throw new OutboundError('too many requests at once')
    const { method = 'GET', headers } = request
    const hasBody = headers['content-length'] !== undefined || 'transfer-encoding' in headers
    try {
      const answer = await this.#client.open(url, {
        ...{ method, headers: keptHeaders(headers), signal, allowHttp: true },
        body: hasBody ? (Readable.toWeb(request) as never) : null,
        ...{ timeoutMs: MAX_TRANSFER_MS, idleTimeoutMs: MAX_IDLE_MS },
        maxBytes: Number.POSITIVE_INFINITY,
      })
      this.options.onHost(host, null)
      response.writeHead(answer.status, keptHeaders(answer.headers))
      await pipeline(Readable.fromWeb(answer.body as never), response)
    } catch (error) {
      throw error instanceof OutboundError ? this.#refuse(host, error.message) : error
    }
  }
}

/** Opens the proxy beside the door. */
export async function openHostProxy(options: HostProxyOptions): Promise<TunnelProxy> {
  const socket = proxySocket(options.place)
  rmSync(socket, { force: true })
  // Addresses of sockets have at most 107 bytes, which the path of a data directory can exceed.
  const folder = openSync(dirname(socket), constants.O_RDONLY | constants.O_DIRECTORY)
  const pathOf = (name: string): string => `/proc/self/fd/${folder}/${basename(name)}`
  const { findTarget, answer } = new HostProxy(options, pathOf(doorSocket(options.place)))
  const path = pathOf(socket)
  const proxy = await openTunnelProxy({ path, findTarget, answer, maxTunnels: MAX_CONNECTIONS })
  await chmod(socket, 0o600)
  return {
    close: () => {
      proxy.close()
      rmSync(socket, { force: true })
      closeSync(folder)
    },
  }
}
