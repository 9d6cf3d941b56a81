/**
 * A front that takes connections and passes their bytes on to listeners of this machine, for what
 * the listener cannot do itself: begin with a socket that systemd has opened, and answer the TLS
 * challenge of a certificate authority on the port of the site. It reads nothing but the first
 * message of a TLS handshake, and only when it is to.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Log } from '#lib/log.ts'
import { SECOND } from '#lib/time.ts'
import { protocolsOffered } from './client-hello.ts'

export type FrontOptions = {
  /** A descriptor that is listening already, or an address to listen on. */
  readonly on: { readonly fd: number } | { readonly host: string; readonly port: number }
  /** The port of this machine to pass a connection on to. */
  readonly target: () => number
  /**
   * Where connections go that offer this protocol in their TLS handshake (RFC 7301) instead; null
   * while nobody waits for them.
   */
  readonly challenge?: { readonly protocol: string; readonly target: () => number | null }
  readonly log: Log
}

export type Front = {
  readonly port: number
  /**
   * The address of whoever is behind a connection that the front made, by its port; null for
   * others.
   */
  addressOf(port: number): string | null
  /** Takes no more connections; those that are open go on. */
  close(): void
}

/** The first message of a handshake is longer than this only to waste memory. */
const LONGEST_HELLO = 16_384
const HELLO_PATIENCE = 10 * SECOND

export async function openFront({ on, target, challenge, log }: FrontOptions): Promise<Front> {
  const addresses = new Map<number, string>()

  const join = (client: Socket, port: number, first: Buffer | null): void => {
    const inner = connect({ host: '127.0.0.1', port })
    let local = 0
    inner.once('connect', () => {
      local = inner.localPort ?? 0
      // Known before a byte of the request is there to be answered.
      addresses.set(local, client.remoteAddress ?? '')
      if (first !== null) inner.write(first)
      client.pipe(inner)
      inner.pipe(client)
    })
    const end = () => {
      addresses.delete(local)
      client.destroy()
      inner.destroy()
    }
    for (const socket of [client, inner]) {
      socket.on('error', end)
      socket.on('close', end)
    }
  }

  /** Waits for the first message of the handshake, which says what the client offers. */
  const choose = (client: Socket, protocol: string, other: () => number | null): void => {
    let seen = Buffer.alloc(0)
    const timer = setTimeout(() => client.destroy(), HELLO_PATIENCE)
    const go = (port: number) => {
      clearTimeout(timer)
      client.off('data', look)
      client.pause()
      join(client, port, seen)
    }
    const look = (part: Buffer) => {
      seen = Buffer.concat([seen, part])
      const offered = protocolsOffered(seen)
      if (offered === null && seen.length < LONGEST_HELLO) return
      go((offered?.includes(protocol) ? other() : null) ?? target())
    }
    client.on('data', look)
    client.on('error', () => client.destroy())
    client.on('close', () => clearTimeout(timer))
  }

  const server: Server = createServer({ pauseOnConnect: false }, (client) => {
    // While nobody waits for a challenge there is nothing to look at.
    if (challenge && challenge.target() !== null)
      choose(client, challenge.protocol, challenge.target)
    else {
      client.pause()
      join(client, target(), null)
    }
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
    addressOf: (port) => addresses.get(port) ?? null,
    close: () => void server.close(),
  }
}
