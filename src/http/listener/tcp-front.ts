/**
 * A TCP front: accepts connections and passes their bytes on to servers on this machine. It does
 * what the runtime's server cannot: use a socket that systemd has opened, and respond to the TLS
 * challenge of a certificate authority on the port of the site. It reads only the first message of
 * a TLS handshake, and only while a challenge is awaited.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Log } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import { protocolsOffered } from './client-hello.ts'

export type FrontOptions = {
  /** A descriptor that listens already, or an address to listen on. */
  readonly on: { readonly fd: number } | { readonly host: string; readonly port: number }
  /** The port on this machine that connections are passed on to. */
  readonly target: () => number
  /**
   * The port for connections that offer this protocol in their TLS handshake (RFC 7301); null while
   * no challenge is awaited.
   */
  readonly challenge?: { readonly protocol: string; readonly target: () => number | null }
  readonly log: Log
}

export type Front = {
  readonly port: number
  /** The client's address for a connection of the front, by its local port; null for others. */
  addressOf(port: number): string | null
  /** Accepts no more connections. Open ones go on. */
  close(): void
}

/** A longer first message has no purpose but to use memory. */
const MAX_HELLO_BYTES = 16_384
const HELLO_TIMEOUT_MS = 10 * SECOND

/** Connects clients to servers on this machine and knows the addresses of the clients. */
class Connections {
  /** Client addresses by the local port of the inner connection. */
  readonly #addresses = new Map<number, string>()

  addressOf(port: number): string | null {
    return this.#addresses.get(port) ?? null
  }

  /** Passes bytes on in both directions. `first` is what was already read from the client. */
  join(client: Socket, port: number, first: Buffer | null): void {
    const inner = connect({ host: '127.0.0.1', port })
    let localPort = 0
    inner.once('connect', () => {
      localPort = inner.localPort ?? 0
      // Before any byte is sent, so that the server finds the address for every request.
      this.#addresses.set(localPort, client.remoteAddress ?? '')
      if (first !== null) inner.write(first)
      client.pipe(inner)
      inner.pipe(client)
    })
    const end = () => {
      this.#addresses.delete(localPort)
      client.destroy()
      inner.destroy()
    }
    for (const socket of [client, inner]) {
      socket.on('error', end)
      socket.on('close', end)
    }
  }
}

/**
 * Reads the first message of a TLS handshake and calls `onHello` with the protocols that the client
 * offers and the bytes read. The connection is paused then.
 */
function readHello(client: Socket, onHello: (protocols: string[], bytes: Buffer) => void): void {
  let bytes = Buffer.alloc(0)
  const timer = setTimeout(() => client.destroy(), HELLO_TIMEOUT_MS)
  const read = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    const protocols = protocolsOffered(bytes)
    if (protocols === null && bytes.length < MAX_HELLO_BYTES) return
    clearTimeout(timer)
    client.off('data', read)
    client.pause()
    onHello(protocols ?? [], bytes)
  }
  client.on('data', read)
  client.on('error', () => client.destroy())
  client.on('close', () => clearTimeout(timer))
}

export async function openFront({ on, target, challenge, log }: FrontOptions): Promise<Front> {
  const connections = new Connections()
  const server: Server = createServer({ pauseOnConnect: false }, (client) => {
    // Handshakes are read only while a challenge is awaited.
    if (!challenge || challenge.target() === null) {
      client.pause()
      connections.join(client, target(), null)
      return
    }
    readHello(client, (protocols, bytes) => {
      const challengePort = protocols.includes(challenge.protocol) ? challenge.target() : null
      connections.join(client, challengePort ?? target(), bytes)
    })
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen('fd' in on ? { fd: on.fd } : { host: on.host, port: on.port }, () =>
    listening.resolve(),
  )
  await listening.promise
  server.on('error', (error) => log.error('the front cannot take connections', { error }))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    addressOf: (port) => connections.addressOf(port),
    close: () => void server.close(),
  }
}
