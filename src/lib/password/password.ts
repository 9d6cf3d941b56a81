/**
 * Passwords: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2), 600,000 rounds and a salt of 16
 * random bytes. The stored form is `pbkdf2$sha256$600000$<salt>$<hash>` in unpadded base64url.
 *
 * One password costs about 60 ms of a core. They are hashed one at a time on a thread of low
 * priority (`password-thread.ts`), so that many sign-ins do not slow other requests down.
 */
import { Refusal } from '../errors.ts'
import { sameBytes } from '../hash.ts'
import { PasswordThread } from './password-thread.ts'
import { FairSemaphore } from '../semaphore.ts'

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

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many people are signing in at this moment; try again shortly', {
    headers: { 'Retry-After': '10' },
  })

export class PasswordHasher {
  readonly #thread = new PasswordThread()
  readonly #turns = new FairSemaphore({ limit: 1, maxWaiting: MAX_WAITING, fullError: tooMany })

  /** `currentCaller` names whom a password is hashed for. Callers take turns. */
  constructor(private readonly currentCaller: () => string = () => '') {}

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
    const release = await this.#turns.acquire({ caller: this.currentCaller() })
    try {
      return await this.#thread.derive(derivation)
    } finally {
      release()
    }
  }
}
