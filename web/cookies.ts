/**
 * The cookies of the website. On https they carry the `__Host-` prefix (RFC 6265bis section 4.1.3.2): set by this host only,
 * over TLS only, for all of it. None can be read by a script. `SameSite=Lax` keeps them out of every request that another
 * site makes but a followed link.
 */
import { cookieValues, hostCookie } from '#lib/cookies.ts'
import { hmacSha256, randomToken, sameBytes } from '#lib/hash.ts'

export const SIGN_IN = 'hearth'
/** A visitor without a sign-in gets a secret of their own, so that the sign-in form cannot be sent for them. */
export const VISITOR = 'hearth-visitor'
export const FLASH = 'hearth-flash'
/** A sign-in whose second factor is awaited. */
export const PENDING = 'hearth-pending'
/** An attempt to sign in through a provider, sealed. */
export const SIGN_ON = 'hearth-sign-on'

/** The first value of a cookie; null when it was not sent or is empty. */
export const readCookie = (request: Request, secure: boolean, plain: string): string | null =>
  cookieValues(request.headers.get('cookie'), hostCookie(secure, plain))[0] || null

export function setCookie(secure: boolean, plain: string, value: string, seconds: number): string {
  return `${hostCookie(secure, plain)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

export const clearCookie = (secure: boolean, plain: string): string => setCookie(secure, plain, '', 0)

export const newVisitor = (): string => randomToken(24)

/** The CSRF token of a cookie's secret: a script of another site can neither read the cookie nor compute this. */
export const csrfToken = (secret: string): string => Buffer.from(hmacSha256(secret, 'csrf')).toString('base64url')

export const isCsrfToken = (secret: string, token: string): boolean => sameBytes(Buffer.from(csrfToken(secret)), Buffer.from(token))
