import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import { isDocumentAddress } from './client-documents.ts'
import { answerAt, isLoopback, redirectHost } from './redirects.ts'
import { authorizationParameters } from './schema.ts'
import { findApplicationOf } from './store.ts'

/**
 * What the consent page shows. A request that cannot be granted is answered to the client without
 * asking the person only when that cannot be used to send people to strange places: the client is a
 * program on their own machine, or they approved it before (RFC 9700 section 4.11.2).
 */
export const getAuthorization = operation({
  name: 'get_authorization',
  summary:
    'Read the request of an application for access to your account: who asks, where the answer goes, what it may do then.',
  route: null,
  access: publicRead(),
  input: Type.Object(authorizationParameters),
  output: Type.Object({
    name: Type.String(),
    url: Nullable(Type.String()),
    host: Type.String(),
    redirect_uri: Type.String(),
    loopback: Type.Boolean(),
    scopes: Nullable(Type.Array(Type.String())),
    resource: Nullable(Type.String()),
    /**
     * Set when it cannot be granted: what is wrong, the address that tells the application, and
     * whether to go there at once.
     */
    problem: Nullable(
      Type.Object({ message: Type.String(), redirect_to: Type.String(), at_once: Type.Boolean() }),
    ),
  }),

  handler: async ({ hearth, db, caller, signal }, input) => {
    const unknownVisitor = () => new Refusal('unauthenticated', 'sign in to let an application in')
    // No stranger makes this server fetch a document.
    if (
      caller.kind === 'anonymous' &&
      input.client_id !== undefined &&
      isDocumentAddress(input.client_id)
    )
      throw unknownVisitor()
    const { client, redirect_uri, state, iss, asked } = await readAuthorizationRequest(
      hearth,
      input,
      signal,
    )
    if (caller.kind === 'anonymous') throw unknownVisitor()
    const loopback = isLoopback(redirect_uri)
    const common = {
      name: client.name,
      url: client.url,
      host: redirectHost(redirect_uri),
      redirect_uri,
      loopback,
    }
    if (!('error' in asked))
      return {
        ...common,
        scopes: asked.scopes && [...asked.scopes],
        resource: asked.resource,
        problem: null,
      }
    const known = findApplicationOf(db, caller.id, sha256(client.client_id)) !== null
    const redirect_to = answerAt(redirect_uri, {
      error: asked.error,
      error_description: asked.message,
      state,
      iss,
    })
    return {
      ...common,
      scopes: null,
      resource: null,
      problem: { message: asked.message, redirect_to, at_once: loopback || known },
    }
  },
})
