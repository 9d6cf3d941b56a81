/**
 * The caller of a git client. Clients know HTTP Basic (RFC 7617), so a token is sent as the
 * password with any username. Some clients send it as the username instead. `Bearer` works too.
 */
import { anonymous, type Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { MAX_SECRET_LENGTH } from '../authenticate.ts'

const invalidToken = (message: string): Refusal =>
  new Refusal('unauthenticated', message, { reason: 'invalid_token' })

/** The secret in an `Authorization` header; null when it is empty. */
function parseSecret(header: string): string | null {
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S.*)$/.exec(header.trim()) ?? []
  if (/^bearer$/i.test(scheme)) return value
  if (!/^basic$/i.test(scheme))
    throw invalidToken(
      'sign in with HTTP Basic: a token is the password, the username does not matter',
    )
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [username, password] =
    colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  const secret = password === '' || password === 'x-oauth-basic' ? username : password
  return secret === '' ? null : secret
}

/** Throws 401 for a token that is not valid, even where no token is needed. */
export function gitCallerOf(hearth: Hearth, request: Request): Caller {
  const header = request.headers.get('authorization')
  const secret = header === null ? null : parseSecret(header)
  if (secret === null) return anonymous
  const caller = secret.length > MAX_SECRET_LENGTH ? null : hearth.callers.byToken(secret)
  if (!caller)
    throw invalidToken(
      'this token is not valid: it may have ended or been revoked. Use a token as the password, not the password of your account',
    )
  return caller
}
