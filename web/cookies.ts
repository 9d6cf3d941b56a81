/**
 * The cookies of the website. On https they carry the `__Host-` prefix (RFC 6265bis section
 * 4.1.3.2): set by this host only,
 * over TLS only, for all of it. None can be read by a script. `SameSite=Lax` keeps them out of
 * every request that another site makes but a followed link.
 */
import { cookieValues, hostCookie } from '#lib/cookies.ts'
import { hmacSha256, randomToken, sameBytes } from '#lib/hash.ts'

export const SIGN_IN_COOKIE = 'hearth'
/**
 * A visitor without a sign-in gets a secret of their own, so that the sign-in form cannot be sent
 * for them.
 */
export const VISITOR_COOKIE = 'hearth-visitor'
export const FLASH_COOKIE = 'hearth-flash'
/** Tells the sign-in form that an account signed in from this browser before; gives no access. */
export const KNOWN_BROWSER_COOKIE = 'hearth-browser'
/** A sign-in whose second factor is awaited. */
export const PENDING_SIGN_IN_COOKIE = 'hearth-pending'
/** An attempt to sign in through a provider, sealed. */
export const SIGN_ON_COOKIE = 'hearth-sign-on'

/** The first value of a cookie; null when it was not sent or is empty. */
export const readCookie = (request: Request, secure: boolean, plain: string): string | null =>
  cookieValues(request.headers.get('cookie'), hostCookie(secure, plain))[0] || null

export function setCookie(secure: boolean, plain: string, value: string, seconds: number): string {
  return `${hostCookie(secure, plain)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

export const clearCookie = (secure: boolean, plain: string): string =>
  setCookie(secure, plain, '', 0)

export const newVisitorSecret = (): string => randomToken(24)

const CSRF_BYTES = 32
/** Mask and token in base64url. */
const MAX_CSRF_LENGTH = 100

/** The bytes that a token stands for. */
const csrfBytes = (secret: string): Uint8Array => hmacSha256(secret, 'csrf')

/** Each byte with that of a mask; done twice it is undone. */
const masked = (bytes: Uint8Array, mask: Uint8Array): Buffer =>
  Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)))

/**
 * A CSRF token of a cookie's secret: a script of another site can neither read the cookie nor
 * compute this. Each is masked afresh, so that pages which repeat what was sent to them do not pack
 * the better the more of it somebody has guessed.
 */
export function csrfToken(secret: string): string {
  const mask = crypto.getRandomValues(new Uint8Array(CSRF_BYTES))
  return Buffer.concat([mask, masked(csrfBytes(secret), mask)]).toString('base64url')
}

export function isCsrfToken(secret: string, token: string): boolean {
  if (token.length > MAX_CSRF_LENGTH) return false
  const bytes = Buffer.from(token, 'base64url')
  return (
    bytes.length === CSRF_BYTES * 2 &&
    sameBytes(csrfBytes(secret), masked(bytes.subarray(CSRF_BYTES), bytes.subarray(0, CSRF_BYTES)))
  )
}
