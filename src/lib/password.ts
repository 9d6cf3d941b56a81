/**
 * Passwords: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2), 600,000 rounds and a salt of 16
 * random bytes. The stored form is `pbkdf2$sha256$600000$<salt>$<hash>` in unpadded base64url.
 *
 * One password costs about 60 ms of a core. They are hashed one at a time on a thread of low
 * priority (`password-thread.ts`), so that many sign-ins do not slow other requests down.
 */
import { Refusal } from './errors.ts'
import { sameBytes } from './hash.ts'
import { PasswordThread } from './password-thread.ts'

export const ROUNDS = 600_000
const SALT_BYTES = 16
const HASH_BYTES = 32
/** Further passwords are refused with 503. */
const MAX_WAITING = 256

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const STORED_HASH = /^pbkdf2\$sha256\$(\d{1,9})\$([\w-]+)\$([\w-]{43})$/

export type PasswordCheck = {
  readonly matches: boolean
  /** Whether the stored hash has fewer rounds than new ones, and should be replaced. */
  readonly outdated: boolean
}

export class PasswordHasher {
  readonly #thread = new PasswordThread()
  #isBusy = false
  readonly #waiting: (() => void)[] = []

  async hash(password: string, rounds = ROUNDS): Promise<string> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    const hash = await this.#derive(password, salt, rounds)
    return `pbkdf2$sha256$${rounds}$${toText(salt)}$${toText(hash)}`
  }

  /**
   * Compares a password with a stored hash. Null (no such account, or one without a password) costs
   * the same time, so the time does not tell which accounts exist.
   */
  async verify(password: string, stored: string | null): Promise<PasswordCheck> {
    const match = stored === null ? null : STORED_HASH.exec(stored)
    if (stored !== null && !match) throw new TypeError('a stored password has an unknown form')
    const rounds = match ? Number(match[1]) : ROUNDS
    const salt = match ? Buffer.from(match[2] ?? '', 'base64url') : new Uint8Array(SALT_BYTES)
    const hash = await this.#derive(password, salt, rounds)
    const matches = match !== null && sameBytes(hash, Buffer.from(match[3] ?? '', 'base64url'))
    return { matches, outdated: rounds < ROUNDS }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  /** NFC makes equal letters equal bytes, however a keyboard composes them. */
  async #derive(password: string, salt: Uint8Array, rounds: number): Promise<Uint8Array> {
    const derivation = { password: password.normalize('NFC'), salt, rounds, bytes: HASH_BYTES }
    return await this.#serialize(() => this.#thread.derive(derivation))
  }

  /** Runs one function after the other. Throws 503 when too many wait. */
  async #serialize<T>(run: () => Promise<T>): Promise<T> {
    if (!this.#isBusy) this.#isBusy = true
    else if (this.#waiting.length < MAX_WAITING)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else
      throw new Refusal(
        'unavailable',
        'too many people are signing in at this moment; try again shortly',
        { headers: { 'Retry-After': '10' } },
      )
    try {
      return await run()
    } finally {
      // The turn passes to the next without becoming free, so that a newcomer cannot take it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#isBusy = false
    }
  }
}
