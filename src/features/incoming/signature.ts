/** Checks that an event comes from its service. The body is checked before it is parsed. */
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { Refusal } from '#lib/errors.ts'
import type { Sender } from './senders/sender.ts'

const equals = (a: string, b: string): boolean =>
  // Digests have one length, so the comparison says nothing about that of the secret.
  sameBytes(hmacSha256('equal', a), hmacSha256('equal', b))

/** Throws 401. `secret` is null when there is none. */
export function requireSignature(
  { signature }: Pick<Sender, 'signature'>,
  secret: string | null,
  { headers, bytes }: { readonly headers: Headers; readonly bytes: Uint8Array },
): void {
  if (signature === null || (secret === null && !signature.required)) return
  const { header, kind, prefix } = signature
  if (secret === null)
    throw new Refusal(
      'unauthenticated',
      `no secret to check the header ${header} with is stored here`,
    )
  const given = headers.get(header)
  if (given === null) throw new Refusal('unauthenticated', `the header ${header} is missing`)
  const expected =
    kind === 'token' ? secret : prefix + Buffer.from(hmacSha256(secret, bytes)).toString('hex')
  if (!equals(given, expected))
    throw new Refusal('unauthenticated', `the header ${header} does not fit the stored secret`)
}
