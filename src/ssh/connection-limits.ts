/** Connections that have not signed in yet: how many there may be, and for how long. */
import type { Socket } from 'node:net'
import { networkOf } from '#lib/net.ts'
import { limitEarlyBytes } from '#lib/ssh/early-bytes.ts'
import { SECOND } from '#lib/time.ts'

const MAX_PENDING = 64
const MAX_PENDING_OF_NETWORK = 10
/** They wait for their turn without a greeting, as those of many build machines at once do. */
const MAX_WAITING = 512
const MAX_WAITING_OF_NETWORK = 128
/** From the first packet, so waiting counts. */
const SIGN_IN_TIMEOUT_MS = 30 * SECOND
/** A client with many keys sends a tenth of it. */
const MAX_BYTES_OF_SIGN_IN = 256 * 1024
/** Of all connections, signed in or not. */
const MAX_CONNECTIONS = 2000

/** A number for each network; a network with none is left out. */
class Counts {
  readonly #of = new Map<string, number>()

  get(network: string): number {
    return this.#of.get(network) ?? 0
  }

  add(network: string, difference: 1 | -1): void {
    const count = this.get(network) + difference
    if (count === 0) this.#of.delete(network)
    else this.#of.set(network, count)
  }
}

type Waiting = { readonly network: string; readonly begin: () => void }

export class ConnectionLimits {
  /** Connections that are signing in, with their networks. */
  readonly #pending = new Map<Socket, string>()
  readonly #pendingOf = new Counts()
  /** In the order in which they came. */
  readonly #waiting = new Map<Socket, Waiting>()
  readonly #waitingOf = new Counts()
  readonly #timers = new Map<Socket, Timer>()
  /** End the limit of bytes. */
  readonly #signIns = new Map<Socket, () => void>()
  readonly #all = new Set<Socket>()

  /** Begins a connection now or when it is its turn. It is closed unless it signs in soon. */
  admit(socket: Socket, begin: () => void): void {
    const network = networkOf(socket.remoteAddress ?? null) ?? ''
    const isFull =
      this.#all.size >= MAX_CONNECTIONS ||
      this.#waiting.size >= MAX_WAITING ||
      this.#waitingOf.get(network) >= MAX_WAITING_OF_NETWORK
    if (isFull) {
      socket.destroy()
      return
    }
    this.#all.add(socket)
    this.#timers.set(
      socket,
      setTimeout(() => socket.destroy(), SIGN_IN_TIMEOUT_MS),
    )
    // Nobody else listens while it waits, and an error without a listener ends the process.
    socket.on('error', () => {})
    socket.once('close', () => {
      this.#all.delete(socket)
      this.#stopWaiting(socket)
      this.signedIn(socket)
    })
    this.#waiting.set(socket, { network, begin })
    this.#waitingOf.add(network, 1)
    if (this.#isBelowLimits(network)) this.#begin(socket)
  }

  #isBelowLimits(network: string): boolean {
    return this.#pending.size < MAX_PENDING && this.#pendingOf.get(network) < MAX_PENDING_OF_NETWORK
  }

  #stopWaiting(socket: Socket): Waiting | null {
    const waiting = this.#waiting.get(socket)
    if (!waiting) return null
    this.#waiting.delete(socket)
    this.#waitingOf.add(waiting.network, -1)
    return waiting
  }

  #begin(socket: Socket): void {
    const waiting = this.#stopWaiting(socket)
    if (!waiting) return
    this.#pending.set(socket, waiting.network)
    this.#pendingOf.add(waiting.network, 1)
    this.#signIns.set(socket, limitEarlyBytes(socket, MAX_BYTES_OF_SIGN_IN))
    waiting.begin()
  }

  /** A connection counts no longer as one that signs in, and the next may begin. */
  signedIn(socket: Socket): void {
    clearTimeout(this.#timers.get(socket))
    this.#timers.delete(socket)
    this.#signIns.get(socket)?.()
    this.#signIns.delete(socket)
    const network = this.#pending.get(socket)
    if (network === undefined) return
    this.#pending.delete(socket)
    this.#pendingOf.add(network, -1)
    for (const [next, waiting] of this.#waiting) {
      if (this.#pending.size >= MAX_PENDING) return
      if (this.#isBelowLimits(waiting.network)) this.#begin(next)
    }
  }

  closeAll(): void {
    for (const socket of this.#all) socket.destroy()
  }
}
