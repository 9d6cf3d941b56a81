/**
 * The token of an archive link: a commit and an expiry time, signed with HMAC-SHA-256 under a key
 * derived from the installation key. The link alone grants the download, and the server stores
 * nothing about it.
 *
 * Format: `<claims>.<signature>`, both in base64url.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'

/** The formats of archives, which are the endings of their names too. */
export const ARCHIVE_FORMATS = ['zip', 'tar.gz'] as const

export type ArchiveClaims = {
  readonly repo_id: string
  readonly commit: string
  /** The folder inside the archive and the file name without its extension. */
  readonly folder: string
  /** In milliseconds since 1970. */
  readonly expires: number
}

/** Derived for archive links only, so a signature made for another purpose is never a valid link. */
const archiveLinkKey = service('archive link key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'archive links'),
)

const sign = (hearth: Hearth, text: string): Uint8Array => hmacSha256(archiveLinkKey(hearth), text)

export function archiveToken(
  hearth: Hearth,
  { repo_id, commit, folder, expires }: ArchiveClaims,
): string {
  const text = Buffer.from(JSON.stringify([repo_id, commit, folder, expires])).toString('base64url')
  return `${text}.${Buffer.from(sign(hearth, text)).toString('base64url')}`
}

/** Returns the claims of a token signed here, expired or not; null for any other text. */
export function readArchiveToken(hearth: Hearth, token: string): ArchiveClaims | null {
  const [, text, signature] = /^([\w-]{1,1000})\.([\w-]{43})$/.exec(token) ?? []
  if (text === undefined || signature === undefined) return null
  if (!sameBytes(sign(hearth, text), Buffer.from(signature, 'base64url'))) return null
  const [repo_id, commit, folder, expires] = JSON.parse(
    Buffer.from(text, 'base64url').toString(),
  ) as [string, string, string, number]
  return { repo_id, commit, folder, expires }
}
