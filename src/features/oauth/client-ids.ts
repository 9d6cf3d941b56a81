/**
 * Registration without a table: the id of a client is what it registered, signed. It is a JWS in
 * compact form (RFC 7515) with the one algorithm HS256 and a type of its own, so no other signed
 * text of ours can stand in for it. Nothing is stored for a client before a person approves it, so
 * strangers cannot fill the database.
 */
import { CompactSign, compactVerify } from 'jose'
import type { Hearth } from '#core/hearth.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { redirectProblem } from './redirects.ts'

export type Registration = {
  readonly issuer: string
  readonly name: string
  readonly redirect_uris: readonly string[]
}

const TYPE = 'client+jwt'
const LONGEST = 8_000

const keys = new WeakMap<Hearth['settings'], Uint8Array>()

/** A key for this one use, made from the installation's. */
function keyOf({ settings }: Pick<Hearth, 'settings'>): Uint8Array {
  let key = keys.get(settings)
  if (!key)
    keys.set(settings, (key = hmacSha256(installationKey(settings.data), 'ids of applications')))
  return key
}

/** The same registration gives the same id. */
export function signClientId(
  hearth: Pick<Hearth, 'settings'>,
  { issuer, name, redirect_uris }: Registration,
): Promise<string> {
  const payload = new TextEncoder().encode(
    JSON.stringify({ iss: issuer, client_name: name, redirect_uris }),
  )
  return new CompactSign(payload)
    .setProtectedHeader({ alg: 'HS256', typ: TYPE })
    .sign(keyOf(hearth))
}

/** What an id stands for; null for one that we did not sign, or not in these very letters. */
export async function readClientId(
  hearth: Pick<Hearth, 'settings'>,
  client_id: string,
): Promise<Registration | null> {
  if (client_id.length > LONGEST || !isCanonical(client_id)) return null
  try {
    const { payload, protectedHeader } = await compactVerify(client_id, keyOf(hearth), {
      algorithms: ['HS256'],
    })
    if (protectedHeader.typ !== TYPE) return null
    const { iss, client_name, redirect_uris } = JSON.parse(
      new TextDecoder().decode(payload),
    ) as Record<string, unknown>
    if (typeof iss !== 'string' || typeof client_name !== 'string' || !Array.isArray(redirect_uris))
      return null
    // Rules that became stricter since hold for old registrations too.
    const addresses = redirect_uris.filter(
      (uri): uri is string => typeof uri === 'string' && redirectProblem(uri) === null,
    )
    return addresses.length === 0
      ? null
      : { issuer: iss, name: client_name, redirect_uris: addresses }
  } catch {
    return null
  }
}

/**
 * The last letter of base64url may hide unused bits: several spellings of one signature must not be
 * several clients.
 */
const isCanonical = (text: string): boolean => {
  const parts = text.split('.')
  return (
    parts.length === 3 &&
    parts.every(
      (part) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part,
    )
  )
}
