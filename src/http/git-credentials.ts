/**
 * Who is at the git client. Clients know HTTP Basic (RFC 7617), so a token is sent as the password,
 * with any username; some send it as the username instead. `Bearer` works as well.
 */
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'

const LONGEST_SECRET = 512

const wrong = (message: string) =>
  new Refusal('unauthenticated', message, { reason: 'invalid_token' })

/** The secret that a header carries; null when it is empty. */
function secretOf(header: string): string | null {
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S.*)$/.exec(header.trim()) ?? []
  if (/^bearer$/i.test(scheme)) return value
  if (!/^basic$/i.test(scheme))
    throw wrong('sign in with HTTP Basic: a token is the password, the username does not matter')
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [username, password] =
    colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  const secret = password === '' || password === 'x-oauth-basic' ? username : password
  return secret === '' ? null : secret
}

/**
 * The caller of a request from a git client. Gives 401 for a token that is not valid, also where
 * none is needed.
 */
export function gitCallerOf(hearth: Hearth, request: Request): Caller {
  const header = request.headers.get('authorization')
  const secret = header === null ? null : secretOf(header)
  if (secret === null) return anonymous
  const caller = secret.length > LONGEST_SECRET ? null : hearth.callers.byToken(secret)
  if (!caller)
    throw wrong(
      'this token is not valid: it may have ended or been revoked. Use a token as the password, not the password of your account',
    )
  return caller
}
