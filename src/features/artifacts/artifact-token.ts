/**
 * The token of a link to an artifact: its id and an expiry time, signed with HMAC-SHA-256 under a
 * key derived from the installation key. The link alone grants the download.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { MINUTE } from '#lib/time.ts'

/** `expires` is in milliseconds since 1970. */
export type ArtifactClaims = { readonly id: string; readonly expires: number }

/** Derived for these links only, so a signature made for another purpose is never a valid link. */
const artifactLinkKey = service('artifact link key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'artifact links'),
)

const sign = (hearth: Hearth, text: string): Uint8Array => hmacSha256(artifactLinkKey(hearth), text)

function artifactToken(hearth: Hearth, { id, expires }: ArtifactClaims): string {
  const text = `${id}.${expires.toString(36)}`
  return `${text}.${Buffer.from(sign(hearth, text)).toString('base64url')}`
}

/** The claims of a token signed here, expired or not; null for any other text. */
export function readArtifactToken(hearth: Hearth, token: string): ArtifactClaims | null {
  const [, text, id, expires, signature] =
    /^((art_[0-9a-z]{26})\.([0-9a-z]{1,12}))\.([\w-]{43})$/.exec(token) ?? []
  if (text === undefined || id === undefined || expires === undefined) return null
  if (!sameBytes(sign(hearth, text), Buffer.from(signature ?? '', 'base64url'))) return null
  return { id, expires: Number.parseInt(expires, 36) }
}

const LINK_LIFETIME_MS = 10 * MINUTE

/** The address of the zip archive of an artifact, and until when it works. */
export function artifactAddress(
  hearth: Hearth,
  { id, name }: { readonly id: string; readonly name: string },
): { readonly url: string; readonly expires: number } {
  const expires = hearth.clock.now() + LINK_LIFETIME_MS
  const token = artifactToken(hearth, { id, expires })
  const file = encodeURIComponent(`${name}.zip`)
  return { url: `${hearth.settings.site_url}/_artifact/${token}/${file}`, expires }
}
