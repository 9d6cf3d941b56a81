/**
 * Passwords: PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2), 600,000 rounds and a salt of 16
 * random bytes, stored as `pbkdf2$sha256$600000$<salt>$<hash>` with both in unpadded base64url.
 *
 * One password costs about 60 ms of a core. That runs on a thread that gives way to everything else
 * (`password-thread.ts`), one at a time, so that a crowd at the sign-in page cannot take the
 * machine from everyone else; the others wait in order.
 */
import { Refusal } from './errors.ts'
import { sameBytes } from './hash.ts'
import { PasswordThread } from './password-thread.ts'

export const ROUNDS = 600_000
const SALT_BYTES = 16
const HASH_BYTES = 32
const MOST_WAITING = 256

const thread = new PasswordThread()

let busy = false
const waiting: (() => void)[] = []

/**
 * Gives 503 when hundreds wait already. A place that is freed goes straight to the next in line.
 */
async function inTurn<T>(run: () => Promise<T>): Promise<T> {
  if (!busy) busy = true
  else if (waiting.length < MOST_WAITING)
    await new Promise<void>((resolve) => waiting.push(resolve))
  else
    throw new Refusal(
      'unavailable',
      'too many people are signing in at this moment; try again shortly',
      { headers: { 'Retry-After': '10' } },
    )
  try {
    return await run()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else busy = false
  }
}

/** The same letters give the same bytes however a keyboard composes them (Unicode NFC). */
const hash = (password: string, salt: Uint8Array, rounds: number): Promise<Uint8Array> =>
  inTurn(() =>
    thread.derive({ password: password.normalize('NFC'), salt, rounds, bytes: HASH_BYTES }),
  )

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

export async function hashPassword(password: string, rounds = ROUNDS): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  return `pbkdf2$sha256$${rounds}$${text(salt)}$${text(await hash(password, salt, rounds))}`
}

const STORED = /^pbkdf2\$sha256\$(\d{1,9})\$([\w-]+)\$([\w-]{43})$/

/**
 * `outdated` says that the stored hash should be made anew, because the number of rounds has grown
 * since.
 */
export type Verdict = { readonly matches: boolean; readonly outdated: boolean }

/**
 * Holds a password against a stored hash. With null (no such account, or one without a password)
 * the same work is done for nothing, so that the time taken does not tell which accounts exist.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<Verdict> {
  const match = stored === null ? null : STORED.exec(stored)
  if (stored !== null && !match) throw new TypeError('a stored password has an unknown form')
  const rounds = match ? Number(match[1]) : ROUNDS
  const salt = match ? Buffer.from(match[2] ?? '', 'base64url') : new Uint8Array(SALT_BYTES)
  const made = await hash(password, salt, rounds)
  const matches = match !== null && sameBytes(made, Buffer.from(match[3] ?? '', 'base64url'))
  return { matches, outdated: rounds < ROUNDS }
}
