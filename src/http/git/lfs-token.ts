/**
 * Tokens of Git LFS transfers. They say what one credential may do for an hour: the files of one
 * repository, or one file. They are signed with a key derived from the installation key, and act
 * with the rights that the credential has when they are used.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { HOUR } from '#lib/time.ts'

export const LFS_TOKEN_LIFETIME_MS = HOUR

export type LfsClaims = {
  /** The id of the token or SSH key; null for callers without an account. */
  readonly credential: string | null
  /** The path of the repository in lowercase. */
  readonly repo: string
  readonly operation: 'upload' | 'download'
  /** The only file; null for all files and locks of the repository. */
  readonly oid: string | null
  /** In milliseconds since 1970. */
  readonly expires: number
}

/** Derived for these tokens only, so a signature made for another purpose is never valid. */
const lfsTokenKey = service('lfs token key', ({ settings }) =>
  hmacSha256(installationKey(settings.data), 'lfs transfers'),
)

const MAX_TOKEN_LENGTH = 1500
const FORM = /^lfs\.([\w-]{1,1400})\.([\w-]{43})$/

const sign = (hearth: Hearth, text: string): Uint8Array => hmacSha256(lfsTokenKey(hearth), text)

export function lfsToken(hearth: Hearth, claims: Omit<LfsClaims, 'expires'>): string {
  const expires = hearth.clock.now() + LFS_TOKEN_LIFETIME_MS
  const text = Buffer.from(JSON.stringify({ ...claims, expires })).toString('base64url')
  return `lfs.${text}.${Buffer.from(sign(hearth, text)).toString('base64url')}`
}

/** Whether an `Authorization` header holds a token of this form, valid or not. */
export const isLfsToken = (header: string | null): boolean =>
  header !== null && /^bearer lfs\./i.test(header)

/** The claims of a token in an `Authorization` header; null when it is not valid any more. */
export function readLfsToken(hearth: Hearth, header: string): LfsClaims | null {
  const token = header.slice('bearer '.length).trim()
  if (token.length > MAX_TOKEN_LENGTH) return null
  const [, text, signature] = FORM.exec(token) ?? []
  if (text === undefined || signature === undefined) return null
  if (!sameBytes(sign(hearth, text), Buffer.from(signature, 'base64url'))) return null
  const claims = JSON.parse(Buffer.from(text, 'base64url').toString()) as LfsClaims
  return claims.expires <= hearth.clock.now() ? null : claims
}
