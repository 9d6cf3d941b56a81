import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import { answerAt, redirectHost } from './redirects.ts'
import { authorizationParameters } from './schema.ts'
import { isWithin } from './scopes.ts'
import { findApplicationOf, insertApplication, insertGrant, setApproved } from './store.ts'

const CODE_MS = 5 * MINUTE

/**
 * The answer of a person on the consent page. The request is read again: nothing that the browser
 * sends is believed.
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
    const { client, redirect_uri, state, iss, asked } = await readAuthorizationRequest(
      hearth,
      parameters,
      signal,
    )
    if ('error' in asked)
      return {
        redirect_to: answerAt(redirect_uri, {
          error: asked.error,
          error_description: asked.message,
          state,
          iss,
        }),
      }
    if (decision === 'deny')
      return {
        redirect_to: answerAt(redirect_uri, {
          error: 'access_denied',
          error_description: 'the person said no',
          state,
          iss,
        }),
      }
    if (chosen?.length === 0) throw invalid('scopes', 'tick at least one, or deny')
    if (chosen && !isWithin(chosen, asked.scopes))
      throw invalid('scopes', 'the application did not ask for this')
    const scopes = chosen ?? asked.scopes
    const code = randomToken()
    const client_hash = sha256(client.client_id)
    const host = redirectHost(redirect_uri)
    return write((tx) => {
      const known = findApplicationOf(tx.db, caller.id, client_hash)
      const id = known?.id ?? typeId('app', tx.now_ms)
      const { name, url } = client
      if (known) setApproved(tx.db, id, { name, host, approved_at: tx.now })
      else
        insertApplication(tx.db, {
          id,
          user_id: caller.id,
          client_hash,
          name,
          host,
          url,
          approved_at: tx.now,
        })
      insertGrant(tx.db, {
        code_hash: sha256(code),
        application_id: id,
        redirect_uri,
        challenge: asked.challenge,
        scopes: scopes && JSON.stringify(scopes),
        resource: asked.resource,
        created_at: tx.now,
        expires_at: timestamp(tx.now_ms + CODE_MS),
        used_at: null,
      })
      tx.audit({
        action: 'application.approved',
        target: { kind: 'application', id, name },
        data: { after: { scopes, host, url } },
      })
      return { redirect_to: answerAt(redirect_uri, { code, state, iss }) }
    })
  },
})
