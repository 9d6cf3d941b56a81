/** The secret of a webhook: kept sealed, read only to sign. */
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'
import { invalid } from '#lib/errors.ts'
import { hmacSha256 } from '#lib/hash.ts'

const PURPOSE = 'webhook secret'
const SHORTEST = 16
const LONGEST = 256
const BYTES = 32

/**
 * The secret that was given, or a new one when none was. Gives 422 for one that is too short or too
 * long.
 */
export function secretFrom(given: string | undefined): string {
  if (given === undefined || given === '')
    return Buffer.from(crypto.getRandomValues(new Uint8Array(BYTES))).toString('hex')
  if (given.length < SHORTEST || given.length > LONGEST)
    throw invalid(
      'secret',
      `secret must have ${SHORTEST} to ${LONGEST} characters, or be left empty for a new one`,
    )
  return given
}

export const sealSecret = (hearth: Hearth, secret: string): string => seal(hearth, PURPOSE, secret)

/** Gives an Error when another installation sealed it, as after a restore without the key. */
export function readSecret(hearth: Hearth, sealed: string): string {
  const secret = unseal(hearth, PURPOSE, sealed)
  if (secret === null)
    throw new Error('the secret of a webhook cannot be read with this installation key')
  return secret
}

/** `sha256=` and the HMAC-SHA256 of the body in hex, as receivers of many services know it. */
export const signatureOf = (secret: string, body: string): string =>
  `sha256=${Buffer.from(hmacSha256(secret, body)).toString('hex')}`
