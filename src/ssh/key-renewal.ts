/**
 * New session keys for connections that transfer much or live long (RFC 4253 section 9). Clients may
 * ask for them at any time; ssh2 never does so by itself.
 */
import type { Socket } from 'node:net'
import type { Connection } from 'ssh2'
import { HOUR } from '#lib/time.ts'
import type { FasterCipher } from './faster-cipher.ts'

/** Both ways together. */
const MAX_BYTES_OF_KEYS = 1024 ** 3
const MAX_AGE_OF_KEYS_MS = HOUR
/** From here on a faster cipher saves more than an exchange of keys costs, which is about 2 ms. */
const MIN_BYTES_OF_FASTER_CIPHER = 2 * 1024 ** 2

export class KeyRenewal {
  #sinceBytes = 0
  #sinceMs = performance.now()

  constructor(
    private readonly connection: Connection,
    private readonly socket: Socket,
    private readonly fasterCipher: FasterCipher,
    private readonly maxBytes = MAX_BYTES_OF_KEYS,
  ) {
    connection.on('rekey', () => this.#restart())
  }

  /** Asks the client for new keys once the present ones have been used for long enough. */
  renewOutdated(): void {
    const bytes = this.#bytes - this.#sinceBytes
    const ageMs = performance.now() - this.#sinceMs
    // While an exchange runs, ssh2 ignores the call.
    if (bytes >= this.maxBytes || ageMs >= MAX_AGE_OF_KEYS_MS) this.connection.rekey()
  }

  /** To be called while a transfer runs. A long one gets a faster cipher, if there is one. */
  progressed(): void {
    if (this.#bytes >= MIN_BYTES_OF_FASTER_CIPHER) this.fasterCipher.request()
  }

  get #bytes(): number {
    return this.socket.bytesRead + this.socket.bytesWritten
  }

  #restart(): void {
    this.#sinceBytes = this.#bytes
    this.#sinceMs = performance.now()
  }
}
