/** Mounts the addresses of protocols that features speak (`core/protocol-routes.ts`). */
import type { Hearth } from '#core/hearth.ts'
import { protocolRoutes, type ProtocolRequest } from '#core/protocol-routes.ts'
import { Refusal } from '#lib/errors.ts'
import { inBlock, parseAddress, parseBlock } from '#lib/net.ts'
import type { Exchange, HttpRoute } from './exchange.ts'

async function readBytes({ body }: Exchange, maxBytes: number): Promise<Uint8Array> {
  if (body.contentEncoding === 'identity') return body.bytes({ maxBytes })
  if (body.contentEncoding !== 'gzip')
    throw new Refusal('unsupported_media_type', 'a body is sent as it is or with gzip')
  const reader = body.reader({ maxBytes }, new DecompressionStream('gzip'))
  const chunks: Uint8Array[] = []
  try {
    for (let chunk = await reader?.read(); chunk; chunk = await reader?.read()) chunks.push(chunk)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('bad_request', 'the body is not gzip')
  } finally {
    await reader?.cancel()
  }
  return Buffer.concat(chunks)
}

const LOOPBACK = ['127.0.0.0/8', '::1', '::ffff:127.0.0.0/104']
  .map(parseBlock)
  .filter((block) => block !== null)

function isLoopback(ip: string | null): boolean {
  const address = ip === null ? null : parseAddress(ip)
  return address !== null && LOOPBACK.some((block) => inBlock(address, block))
}

/** Encrypted as far as the site's address says, or from this machine. */
const isPrivate = ({ hearth, origin }: Exchange): boolean =>
  hearth.settings.tls !== null ||
  hearth.settings.site_url.startsWith('https:') ||
  isLoopback(origin.ip)

export const protocolRequestOf = (exchange: Exchange): ProtocolRequest => ({
  request: exchange.request,
  path: exchange.path,
  query: exchange.query,
  // Getters, because few requests need them.
  get origin() {
    return exchange.origin
  },
  get isPrivate() {
    return isPrivate(exchange)
  },
  bytes: (maxBytes) => readBytes(exchange, maxBytes),
  stream: (maxBytes) => exchange.body.stream({ maxBytes }),
  wait: () => exchange.leaveTurn(),
  keepOpen: () => exchange.setIdleTimeout(0),
})

export const mountedProtocolRoutes = (hearth: Hearth): HttpRoute[] =>
  protocolRoutes.all(hearth).map(({ path, handle }) => ({
    path,
    handler: (exchange) => handle(hearth, protocolRequestOf(exchange)),
  }))
