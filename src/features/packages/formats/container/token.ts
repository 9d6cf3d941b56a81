/**
 * `/v2/token`, where clients trade a password for a token. The token given is the caller's own, so
 * rights and revocation stay exact and nothing is signed.
 */
import type { Hearth } from '#core/hearth.ts'
import type { ProtocolRequest } from '#core/protocol-routes.ts'
import { timestamp } from '#lib/time.ts'
import { ANONYMOUS_SECRET, callerOfSecret, secretOf } from '../../door/door-caller.ts'
import { jsonResponse } from '../../door/door-response.ts'

const LIFETIME_SECONDS = 300
const MAX_FORM_BYTES = 64 * 1024

async function secretOfForm(request: ProtocolRequest): Promise<string | null> {
  const bytes = await request.bytes(MAX_FORM_BYTES)
  const form = new URLSearchParams(new TextDecoder().decode(bytes))
  const secret = form.get('grant_type') === 'refresh_token' ? 'refresh_token' : 'password'
  return form.get(secret)
}

/** Throws 401 for a token that is not valid; without one the caller is a stranger. */
export async function answerToken(hearth: Hearth, request: ProtocolRequest): Promise<Response> {
  const sent = secretOf(request.request.headers)
  const secret = sent ?? (request.request.method === 'POST' ? await secretOfForm(request) : null)
  const given = secret === ANONYMOUS_SECRET ? null : secret
  callerOfSecret(hearth, given)
  const token = given ?? ANONYMOUS_SECRET
  return jsonResponse({
    token,
    access_token: token,
    expires_in: LIFETIME_SECONDS,
    issued_at: timestamp(hearth.clock.now()),
    ...(given !== null && request.request.method === 'POST' && { refresh_token: given }),
  })
}
