/**
 * Names a secret without its text: a keyed hash, which only this installation can compute, and a
 * preview of a few characters. A placeholder is a signed offer to let one secret through: nothing is
 * stored until its person takes it.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { HOUR } from '#lib/time.ts'

const fingerprintKey = service('secret fingerprint key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'fingerprints of secrets'),
)
const placeholderKey = service('secret placeholder key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'placeholders of secrets'),
)

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

const FINGERPRINT_BYTES = 24
const SIGNATURE_BYTES = 16

export const fingerprintOf = (hearth: Hearth, type: string, secret: string): string =>
  base64url(hmacSha256(fingerprintKey(hearth), `${type}\0${secret}`).subarray(0, FINGERPRINT_BYTES))

/** A shorter secret would be half told by its preview. */
const MIN_PREVIEWED_CHARS = 12

/** The first 4 and the last 2 characters; of a short secret none. */
export const previewOf = (secret: string): string => {
  const shown = secret.replace(/[^\x20-\x7e]/g, '?')
  return shown.length < MIN_PREVIEWED_CHARS ? '••••' : `${shown.slice(0, 4)}••••${shown.slice(-2)}`
}

/** How long a placeholder can be used, and how long a secret may be pushed after that. */
export const BYPASS_MS = 3 * HOUR

export type Offer = {
  readonly fingerprint: string
  readonly type: string
  readonly label: string
  readonly preview: string
}

const sign = (hearth: Hearth, repo_id: string, user_id: string, text: string): string =>
  base64url(
    hmacSha256(placeholderKey(hearth), `${repo_id} ${user_id} ${text}`).subarray(
      0,
      SIGNATURE_BYTES,
    ),
  )

/** A placeholder that only this person can use, in this repository. */
export function placeholderOf(
  hearth: Hearth,
  repo_id: string,
  user_id: string,
  { fingerprint, type, label, preview }: Offer,
): string {
  const issued = Math.floor(hearth.clock.now() / 1000)
  const text = base64url(Buffer.from(JSON.stringify([fingerprint, type, label, preview, issued])))
  return `pp_${text}.${sign(hearth, repo_id, user_id, text)}`
}

/** What a placeholder offers this person; null for one that is not theirs, changed or too old. */
export function readPlaceholder(
  hearth: Hearth,
  repo_id: string,
  user_id: string,
  placeholder: string,
): Offer | null {
  const [, text, signature] = /^pp_([\w-]{1,1000})\.([\w-]{22})$/.exec(placeholder) ?? []
  if (text === undefined || signature === undefined) return null
  const expected = sign(hearth, repo_id, user_id, text)
  if (!sameBytes(Buffer.from(expected), Buffer.from(signature))) return null
  const [fingerprint, type, label, preview, issued] = JSON.parse(
    Buffer.from(text, 'base64url').toString(),
  ) as [string, string, string, string, number]
  if (hearth.clock.now() > issued * 1000 + BYPASS_MS) return null
  return { fingerprint, type, label, preview }
}
