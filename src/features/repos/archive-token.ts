/**
 * What an archive link carries: a commit and until when it may be downloaded, signed with a key of
 * the installation (HMAC-SHA-256), so that the link alone is enough and nothing is kept of it.
 * `<claims>.<signature>`, both in base64url.
 */
import type { Settings } from '#core/settings.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'

export type ArchiveClaims = {
  readonly repo_id: string
  readonly commit: string
  /** The folder inside, and the name of the file without its ending. */
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly expires: number
}

type Site = { readonly settings: Settings }

const keys = new WeakMap<Settings, Uint8Array>()

/**
 * Made from the installation's key for this use alone: what is signed elsewhere is never a link.
 */
function sign({ settings }: Site, text: string): Uint8Array {
  let key = keys.get(settings)
  if (!key) keys.set(settings, (key = hmacSha256(installationKey(settings.data), 'archive links')))
  return hmacSha256(key, text)
}

export function archiveToken(
  site: Site,
  { repo_id, commit, folder, expires }: ArchiveClaims,
): string {
  const text = Buffer.from(JSON.stringify([repo_id, commit, folder, expires])).toString('base64url')
  return `${text}.${Buffer.from(sign(site, text)).toString('base64url')}`
}

/** The claims of a token that was made here, expired or not; null for every other text. */
export function readArchiveToken(site: Site, token: string): ArchiveClaims | null {
  const [, text, signature] = /^([\w-]{1,1000})\.([\w-]{43})$/.exec(token) ?? []
  if (text === undefined || signature === undefined) return null
  if (!sameBytes(sign(site, text), Buffer.from(signature, 'base64url'))) return null
  const [repo_id, commit, folder, expires] = JSON.parse(
    Buffer.from(text, 'base64url').toString(),
  ) as [string, string, string, number]
  return { repo_id, commit, folder, expires }
}
