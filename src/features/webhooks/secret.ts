/** The secret of a webhook, stored encrypted and decrypted only to sign. */
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'
import { invalid } from '#lib/errors.ts'
import { hmacSha256 } from '#lib/hash.ts'

const PURPOSE = 'webhook secret'
const MIN_SECRET_LENGTH = 16
const MAX_SECRET_LENGTH = 256
const SECRET_BYTES = 32

/** The given secret, or a new one. Throws 422 for a wrong length. */
export function secretFrom(given: string | undefined): string {
  if (given === undefined || given === '')
    return Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('hex')
  if (given.length < MIN_SECRET_LENGTH || given.length > MAX_SECRET_LENGTH)
    throw invalid(
      'secret',
      `secret must have ${MIN_SECRET_LENGTH} to ${MAX_SECRET_LENGTH} characters, or be left empty for a new one`,
    )
  return given
}

export const encryptSecret = (hearth: Hearth, secret: string): string =>
  seal(hearth, PURPOSE, secret)

/**
 * Decrypts a secret. Throws when another installation encrypted it, as after a restore without the
 * key.
 */
export function readSecret(hearth: Hearth, sealed: string): string {
  const secret = unseal(hearth, PURPOSE, sealed)
  if (secret === null)
    throw new Error('the secret of a webhook cannot be read with this installation key')
  return secret
}

/** The signature header: `sha256=` and the HMAC-SHA256 of the body in hex. */
export const signatureOf = (secret: string, body: string): string =>
  `sha256=${Buffer.from(hmacSha256(secret, body)).toString('hex')}`
