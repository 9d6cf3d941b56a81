/**
 * PBKDF2 on a thread with a low priority. One key takes a core for about 60 ms, and requests
 * of others go first. Without such a thread the runtime's own threads derive the keys.
 */
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { WorkerRequests } from '../threads/worker-requests.ts'

export type Derivation = {
  readonly password: string
  readonly salt: Uint8Array
  readonly rounds: number
  readonly bytes: number
}

const pbkdf2Async = promisify(pbkdf2)
const deriveOnRuntimeThread = (derivation: Derivation): Promise<Uint8Array> => {
  const { password, salt, rounds, bytes } = derivation
  return pbkdf2Async(password, salt, rounds, bytes, 'sha256')
}

export class PasswordThread {
  readonly #thread: WorkerRequests<Derivation, Uint8Array>
  #isBroken = false

  constructor(code: string | (() => URL) = 'lib/password/password.worker') {
    this.#thread = new WorkerRequests({ code, name: 'the password thread' })
  }

  /** Whether the thread failed. A new one would fail too, so the runtime's threads are used. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  async derive(derivation: Derivation): Promise<Uint8Array> {
    if (this.#isBroken) return await deriveOnRuntimeThread(derivation)
    try {
      return await this.#thread.request(derivation)
    } catch {
      this.#isBroken = true
      return await deriveOnRuntimeThread(derivation)
    }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }
}
