/** Connections that have not signed in yet: how many there may be, and for how long. */
import type { Socket } from 'node:net'
import { networkOf } from '#lib/net.ts'
import { SECOND } from '#lib/time.ts'

const MAX_PENDING = 64
const MAX_PENDING_OF_NETWORK = 10
const SIGN_IN_TIMEOUT_MS = 30 * SECOND
/** Of all connections, signed in or not. */
const MAX_CONNECTIONS = 2000

export class ConnectionLimits {
  readonly #pending = new Map<Socket, { readonly network: string; readonly timer: Timer }>()
  readonly #all = new Set<Socket>()

  /** Whether a new connection may go on. It is closed unless it signs in soon. */
  admit(socket: Socket): boolean {
    const network = networkOf(socket.remoteAddress ?? null) ?? ''
    const ofNetwork = this.#pending.values().filter((one) => one.network === network)
    if (
      this.#all.size >= MAX_CONNECTIONS ||
      this.#pending.size >= MAX_PENDING ||
      [...ofNetwork].length >= MAX_PENDING_OF_NETWORK
    )
      return false
    const timer = setTimeout(() => socket.destroy(), SIGN_IN_TIMEOUT_MS)
    this.#pending.set(socket, { network, timer })
    this.#all.add(socket)
    socket.once('close', () => {
      this.signedIn(socket)
      this.#all.delete(socket)
    })
    return true
  }

  signedIn(socket: Socket): void {
    clearTimeout(this.#pending.get(socket)?.timer)
    this.#pending.delete(socket)
  }

  closeAll(): void {
    for (const socket of this.#all) socket.destroy()
  }
}
