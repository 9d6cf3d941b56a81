/** A proxy on a unix socket by which what runs in a network of its own reaches chosen hosts. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** Where a tunnel goes: an address that was checked, or a socket of the server. */
export type TunnelTarget =
  | { readonly host: string; readonly port: number }
  | { readonly path: string }

export type TunnelProxyOptions = {
  /** The path of the socket. */
  readonly path: string
  /** Throws an Error for a host that is refused. */
  readonly findTarget: (host: string, port: number) => Promise<TunnelTarget>
  /** Whether a client may use the proxy; every client unless given. */
  readonly isAllowed?: (request: IncomingMessage) => boolean
  /** Answers requests that open no tunnel; they are refused unless it is given. */
  readonly answer?: RequestListener
  /** Tunnels that are open at once. */
  readonly maxTunnels?: number
}

export type TunnelProxy = {
  /** Ends the tunnels too. */
  close(): void
}

/** Opens tunnels for the method CONNECT (RFC 9110, section 9.3.6). */
export async function openTunnelProxy(options: TunnelProxyOptions): Promise<TunnelProxy> {
  const {
    path,
    findTarget,
    isAllowed = () => true,
    maxTunnels = Number.POSITIVE_INFINITY,
  } = options
  const tunnels = new Set<Duplex>()
  const server = createServer(
    options.answer ?? ((_, response) => void response.writeHead(403).end()),
  )
  server.on('connect', (request: IncomingMessage, from: Duplex, head: Buffer) => {
    tunnels.add(from)
    from.on('error', () => from.destroy())
    from.on('close', () => tunnels.delete(from))
    const end = (status: string): unknown => from.end(`HTTP/1.1 ${status}\r\n\r\n`)
    const url = URL.parse(`https://${request.url ?? ''}`)
    if (!isAllowed(request) || url === null) return end('403 Forbidden')
    if (tunnels.size > maxTunnels) return end('429 Too Many Requests')
    findTarget(url.hostname, Number(url.port || 443)).then(
      (target) => {
        if (from.destroyed) return
        const to = connect(target)
        to.on('error', () => (to.connecting ? end('502 Bad Gateway') : from.destroy()))
        from.on('close', () => to.destroy())
        to.on('close', () => from.destroy())
        to.once('connect', () => {
          from.write('HTTP/1.1 200 Connected\r\n\r\n')
          if (head.length > 0) to.write(head)
          from.pipe(to).pipe(from)
        })
      },
      () => end('403 Forbidden'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return {
    close: () => {
      for (const tunnel of tunnels) tunnel.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
