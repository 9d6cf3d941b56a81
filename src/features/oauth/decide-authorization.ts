import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import type { Client } from './clients.ts'
import { addRedirectParameters, redirectHost } from './redirects.ts'
import { authorizationParameters } from './schema.ts'
import { areScopesWithin } from './scopes.ts'
import {
  findApplicationByClient,
  insertApplication,
  insertGrant,
  setApplicationApproved,
} from './store.ts'

const CODE_LIFETIME_MS = 5 * MINUTE

/**
 * Records the user's decision on the consent page. The request is parsed again, because the form
 * comes from the browser.
 */
export const decideAuthorization = operation({
  name: 'decide_authorization',
  summary: 'Let an application into your account, or not. Answers with the address that tells it.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    ...authorizationParameters,
    decision: OneOf(['approve', 'deny']),
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: 100,
        description: 'What is granted, when it is less than what was asked.',
      }),
    ),
  }),
  output: Type.Object({ redirect_to: Type.String() }),
  secretAnswer: true,

  handler: async (
    { hearth, caller, write, signal },
    { decision, scopes: chosen, ...parameters },
  ) => {
    if (caller.token !== null)
      throw forbidden('person_required', 'sign in on the website to let an application in')
    const {
      client,
      redirect_uri,
      state,
      iss,
      grantRequest: request,
    } = await readAuthorizationRequest(hearth, parameters, signal)
    const redirect = (parameters: Readonly<Record<string, string>>) => ({
      redirect_to: addRedirectParameters(redirect_uri, { ...parameters, state, iss }),
    })
    if ('error' in request)
      return redirect({ error: request.error, error_description: request.message })
    if (decision === 'deny')
      return redirect({ error: 'access_denied', error_description: 'the person said no' })
    if (chosen?.length === 0) throw invalid('scopes', 'tick at least one, or deny')
    if (chosen && !areScopesWithin(chosen, request.scopes))
      throw invalid('scopes', 'the application did not ask for this')
    const scopes = chosen ?? request.scopes
    const code = randomToken()
    return write((tx) => {
      approve(tx, caller.id, client, { ...request, code, redirect_uri, scopes })
      return redirect({ code })
    })
  },
})

type Approval = {
  readonly code: string
  readonly redirect_uri: string
  readonly challenge: string
  readonly scopes: readonly string[] | null
  readonly resource: string | null
}

/** Stores the approval of a client by a user, and the code of the grant. */
function approve(tx: Tx, user_id: string, client: Client, approval: Approval): void {
  const { code, redirect_uri, challenge, scopes, resource } = approval
  const { name, url } = client
  const client_hash = sha256(client.client_id)
  const host = redirectHost(redirect_uri)
  const existing = findApplicationByClient(tx.db, user_id, client_hash)
  const id = existing?.id ?? typeId('app', tx.now_ms)
  const approved_at = tx.now
  if (existing) setApplicationApproved(tx.db, id, { name, host, approved_at })
  else insertApplication(tx.db, { id, user_id, client_hash, name, host, url, approved_at })
  insertGrant(tx.db, {
    code_hash: sha256(code),
    application_id: id,
    redirect_uri,
    challenge,
    scopes: scopes && JSON.stringify(scopes),
    resource,
    created_at: tx.now,
    expires_at: timestamp(tx.now_ms + CODE_LIFETIME_MS),
    used_at: null,
  })
  tx.audit({
    action: 'application.approved',
    target: { kind: 'application', id, name },
    data: { after: { scopes, host, url } },
  })
}
