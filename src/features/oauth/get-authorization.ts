import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { sha256 } from '#lib/hash.ts'
import { readAuthorizationRequest } from './authorization-request.ts'
import { isDocumentAddress } from './client-documents.ts'
import { addRedirectParameters, isLoopback, redirectHost } from './redirects.ts'
import { authorizationParameters } from './schema.ts'
import { findApplicationByClient } from './store.ts'

/**
 * Returns what the consent page shows. An invalid request may redirect without asking the user in
 * two cases only: the client runs on the user's machine, or the user approved it before. Otherwise
 * anyone could use this page to redirect users (RFC 9700 section 4.11.2).
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
     * Set for an invalid request: the error, the URL that reports it to the application, and
     * whether to redirect at once.
     */
    problem: Nullable(
      Type.Object({ message: Type.String(), redirect_to: Type.String(), at_once: Type.Boolean() }),
    ),
  }),

  handler: async ({ hearth, db, caller, signal }, input) => {
    const unknownVisitor = () => new Refusal('unauthenticated', 'sign in to let an application in')
    // Anonymous visitors cannot make this server fetch a document.
    if (
      caller.kind === 'anonymous' &&
      input.client_id !== undefined &&
      isDocumentAddress(input.client_id)
    )
      throw unknownVisitor()
    const {
      client,
      redirect_uri,
      state,
      iss,
      grantRequest: request,
    } = await readAuthorizationRequest(hearth, input, signal)
    if (caller.kind === 'anonymous') throw unknownVisitor()
    const loopback = isLoopback(redirect_uri)
    const common = {
      name: client.name,
      url: client.url,
      host: redirectHost(redirect_uri),
      redirect_uri,
      loopback,
    }
    if (!('error' in request))
      return {
        ...common,
        scopes: request.scopes && [...request.scopes],
        resource: request.resource,
        problem: null,
      }
    const isApproved = findApplicationByClient(db, caller.id, sha256(client.client_id)) !== null
    const redirect_to = addRedirectParameters(redirect_uri, {
      error: request.error,
      error_description: request.message,
      state,
      iss,
    })
    return {
      ...common,
      scopes: null,
      resource: null,
      problem: { message: request.message, redirect_to, at_once: loopback || isApproved },
    }
  },
})
