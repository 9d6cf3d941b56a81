/**
 * The caller of a registry's client. A token is taken wherever a client puts it: `Bearer`, the
 * password of `Basic` (or its user name, with an empty password), alone in `Authorization` (cargo,
 * gem), and `X-NuGet-ApiKey`. Passwords of accounts are never taken.
 */
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'

const TOKEN = /^hth[a-z]_[0-9A-Za-z]{46}$/
/** Longer than any token. */
const MAX_SECRET_LENGTH = 512
/** What strangers get as their token from the address for containers. */
export const ANONYMOUS_SECRET = 'anonymous'

export const invalidToken = (): Refusal =>
  new Refusal(
    'unauthenticated',
    'this token is not valid: it may have ended or been revoked. Use a token as the password, not the password of your account',
    { reason: 'invalid_token' },
  )

function basicSecret(value: string): string | null {
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [username, password] =
    colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  const secret = password === '' ? username : password
  return secret === '' ? null : secret
}

function authorizationSecret(header: string): string | null {
  const parts = new Set(header.split(',').map((part) => part.trim()))
  if (parts.size > 1)
    throw new Refusal(
      'bad_request',
      'two different credentials were sent; send one Authorization header',
    )
  const [only = ''] = parts
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S.*)$/.exec(only) ?? []
  if (/^basic$/i.test(scheme)) return basicSecret(value)
  if (/^(bearer|token)$/i.test(scheme)) return value === ANONYMOUS_SECRET ? null : value
  if (scheme !== '') throw invalidToken()
  return only === '' ? null : only
}

/** The token that a request sends; null for none. */
export function secretOf(headers: Headers): string | null {
  const key = headers.get('x-nuget-apikey')
  // People send any word as the key when the password of the source is the token.
  if (key !== null && TOKEN.test(key)) return key
  const header = headers.get('authorization')
  return header === null ? null : authorizationSecret(header)
}

/** Throws 401 for a token that is not valid, even where none is needed. */
export function callerOfSecret(hearth: Hearth, secret: string | null): Caller {
  if (secret === null) return anonymous
  const caller = secret.length > MAX_SECRET_LENGTH ? null : hearth.callers.byToken(secret)
  if (caller === null) throw invalidToken()
  return caller
}
