/**
 * Finds the caller of a request. REST and the tool server take a token in `Authorization: Bearer`
 * (RFC 6750 section 2.1), or `token` in place of `Bearer`, as clients of GitHub send it: Octokit,
 * which stock actions use. The website also takes the cookie of a sign-in. An invalid credential is
 * refused; it never counts as none.
 */
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { cookieValues, hostCookie } from '#lib/cookies.ts'
import { Refusal } from '#lib/errors.ts'

/** Longer than any secret that this forge issues; longer ones are not looked up. */
export const MAX_SECRET_LENGTH = 512

const invalidToken = (message: string) =>
  new Refusal('unauthenticated', message, { reason: 'invalid_token' })

const TOKEN_IN_QUERY = /(?:^|&)access_token=|hth[uwa]_[0-9A-Za-z]{40}/

/** Refuses secrets in an address, because addresses are stored in logs and histories. */
export function refuseTokenInQuery(query: string): void {
  if (query !== '' && TOKEN_IN_QUERY.test(query)) {
    throw invalidToken(
      'a token in the address is refused: send it as "Authorization: Bearer <token>", and revoke this one, because addresses are kept in logs',
    )
  }
}

const hasTokenScheme = (header: string): boolean => /^(?:bearer|token)(?: |$)/i.test(header)

/**
 * The secret in an `Authorization` header; null without the header. Throws 401 for another scheme
 * and 400 for two different credentials (repeated headers arrive joined with commas).
 */
export function bearerSecret(header: string | null): string | null {
  if (header === null) return null
  const comma = header.indexOf(',')
  if (comma >= 0) {
    const [first = '', ...others] = header.split(',').map((part) => part.trim())
    if (others.some((other) => other !== first)) {
      throw new Refusal(
        'bad_request',
        'two different credentials were sent; send one Authorization header',
      )
    }
    return bearerSecret(first)
  }
  if (!hasTokenScheme(header)) {
    throw invalidToken('the Authorization header must be "Bearer <token>"')
  }
  const secret = header.replace(/^\S+/, '').trim()
  if (secret === '' || secret.length > MAX_SECRET_LENGTH)
    throw invalidToken('this token is not valid')
  return secret
}

function callerByToken(hearth: Hearth, secret: string): Caller {
  const caller = hearth.callers.byToken(secret)
  if (caller === null)
    throw invalidToken('this token is not valid: it may have ended or been revoked')
  return caller
}

/** The caller of a request to REST or the tool server. Cookies are ignored. */
export function callerOf(hearth: Hearth, request: Request, query: string): Caller {
  refuseTokenInQuery(query)
  const secret = bearerSecret(request.headers.get('authorization'))
  return secret === null ? anonymous : callerByToken(hearth, secret)
}

/** The name of the sign-in cookie. */
export const signInCookie = (hearth: Hearth): string =>
  hostCookie(hearth.settings.site_url.startsWith('https:'), 'hearth')

/** The secret that a request sends as its sign-in; empty without one. */
export const signInCookieOf = (hearth: Hearth, { headers }: Request): string => {
  const header = headers.get('cookie')
  return header === null ? '' : (cookieValues(header, signInCookie(hearth))[0] ?? '')
}

/**
 * The caller of a request to the website: by token if one is sent, else by the cookie of a sign-in.
 * After a sign-in has ended, the visitor is signed out. Throws 401 for an invalid token and 400 if
 * token and cookie are of different accounts.
 */
export function visitorOf(hearth: Hearth, request: Request): Caller {
  const header = request.headers.get('authorization')
  // A proxy in front may require a password of its own (Basic), which means nothing here.
  const secret = header !== null && hasTokenScheme(header) ? bearerSecret(header) : null
  const cookies = new Set(cookieValues(request.headers.get('cookie'), signInCookie(hearth)))
  if (cookies.size > 1) throw new Refusal('bad_request', 'two different sign-ins were sent')
  const [cookie = ''] = cookies
  const signedIn =
    cookie === '' || cookie.length > MAX_SECRET_LENGTH ? null : hearth.callers.bySignIn(cookie)
  if (secret === null) return signedIn ?? anonymous
  const caller = callerByToken(hearth, secret)
  if (
    signedIn &&
    signedIn.kind !== 'anonymous' &&
    caller.kind !== 'anonymous' &&
    signedIn.id !== caller.id
  ) {
    throw new Refusal(
      'bad_request',
      'two different credentials were sent: a token and a sign-in of another account',
    )
  }
  return caller
}
