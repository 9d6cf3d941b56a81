/**
 * Registration without a table: a client id contains the registered values and a signature. It is a
 * compact JWS (RFC 7515) with the algorithm HS256 and its own `typ`, so no other signed text of
 * this installation is a valid client id. Nothing is stored before a user approves the client, so
 * strangers cannot fill the database.
 */
import { CompactSign, compactVerify } from 'jose'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { redirectProblem } from './redirects.ts'

export type Registration = {
  readonly issuer: string
  readonly name: string
  readonly redirect_uris: readonly string[]
}

const TYPE = 'client+jwt'
const MAX_CLIENT_ID_LENGTH = 8_000

/** The signing key, derived from the installation key for this purpose. */
const signingKey = service(
  'OAuth client id key',
  ({ settings }: Hearth): Uint8Array =>
    hmacSha256(installationKey(settings.data), 'ids of applications'),
)

/** Creates a client id. The same registration always gives the same id. */
export function signClientId(
  hearth: Pick<Hearth, 'services'>,
  { issuer, name, redirect_uris }: Registration,
): Promise<string> {
  const payload = new TextEncoder().encode(
    JSON.stringify({ iss: issuer, client_name: name, redirect_uris }),
  )
  return new CompactSign(payload)
    .setProtectedHeader({ alg: 'HS256', typ: TYPE })
    .sign(signingKey(hearth))
}

/**
 * The registration of a client id. Null for an id that was not signed here or is spelled
 * differently.
 */
export async function readClientId(
  hearth: Pick<Hearth, 'services'>,
  client_id: string,
): Promise<Registration | null> {
  if (client_id.length > MAX_CLIENT_ID_LENGTH || !isCanonical(client_id)) return null
  try {
    const { payload, protectedHeader } = await compactVerify(client_id, signingKey(hearth), {
      algorithms: ['HS256'],
    })
    if (protectedHeader.typ !== TYPE) return null
    const { iss, client_name, redirect_uris } = JSON.parse(
      new TextDecoder().decode(payload),
    ) as Record<string, unknown>
    if (typeof iss !== 'string' || typeof client_name !== 'string' || !Array.isArray(redirect_uris))
      return null
    // Rules that became stricter later apply to old registrations too.
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
 * The last character of base64url can contain unused bits. Only the canonical spelling of a
 * signature is accepted, so that one client has one id.
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
