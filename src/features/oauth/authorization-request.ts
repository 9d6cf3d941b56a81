/**
 * Parses an authorization request (RFC 6749 section 4.1.1 with RFC 7636, 8707 and 9207). The order
 * of the checks is a security rule: nothing is sent to `redirect_uri` before it is known to belong
 * to the client.
 */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { clientOf, issuersOf, type Client } from './clients.ts'
import { oauthError } from './errors.ts'
import { isRegistered } from './redirects.ts'
import { readResource } from './resources.ts'
import type { AuthorizationParameters } from './schema.ts'
import { parseScopes } from './scopes.ts'

export type AuthorizationRequest = {
  readonly client: Client
  readonly redirect_uri: string
  readonly state: string | null
  /** The issuer of the response, as the client knows it. */
  readonly iss: string
  /** The requested grant, or the OAuth error of an invalid request. */
  readonly grantRequest:
    | {
        readonly challenge: string
        readonly scopes: readonly string[] | null
        readonly resource: string | null
      }
    | { readonly error: string; readonly message: string }
}

/**
 * Throws `invalid_client` and `invalid_redirect_uri`, which must not be sent to the redirect URI.
 */
export async function readAuthorizationRequest(
  hearth: Hearth,
  parameters: AuthorizationParameters,
  signal?: AbortSignal,
): Promise<AuthorizationRequest> {
  const { client_id, redirect_uri, state } = parameters
  if (!client_id) throw oauthError('invalid_client', 'the request names no application (client_id)')
  const client = await clientOf(hearth, client_id, signal)
  if (!redirect_uri)
    throw oauthError(
      'invalid_redirect_uri',
      'the request does not say where the answer goes (redirect_uri)',
    )
  if (!isRegistered(redirect_uri, client.redirect_uris))
    throw oauthError(
      'invalid_redirect_uri',
      'the address of the answer (redirect_uri) is not one that this application registered',
    )
  const issuer = parameters.issuer ?? client.issuer ?? hearth.settings.site_url
  if (!issuersOf(hearth).includes(issuer) || (client.issuer !== null && client.issuer !== issuer)) {
    throw oauthError(
      'invalid_client',
      'this application registered with another issuer than the one that it asks now',
    )
  }
  return {
    client,
    redirect_uri,
    state: state ?? null,
    iss: issuer,
    grantRequest: readGrantRequest(hearth, parameters),
  }
}

/** A SHA-256 in base64url has 43 characters. Some libraries append a padding character. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}=?$/

function readGrantRequest(
  hearth: Hearth,
  parameters: AuthorizationParameters,
): AuthorizationRequest['grantRequest'] {
  const { response_type, response_mode, code_challenge, code_challenge_method } = parameters
  try {
    if (!response_type) throw oauthError('invalid_request', 'response_type is missing')
    if (response_type !== 'code')
      throw oauthError('unsupported_response_type', 'response_type must be code')
    if (response_mode !== undefined && response_mode !== 'query')
      throw oauthError('invalid_request', 'response_mode must be query')
    if (!code_challenge)
      throw oauthError('invalid_request', 'code_challenge is missing: PKCE is required')
    if (code_challenge_method !== 'S256')
      throw oauthError('invalid_request', 'code_challenge_method must be S256')
    if (!CHALLENGE.test(code_challenge))
      throw oauthError('invalid_request', 'code_challenge must be a SHA-256 as base64url')
    return {
      challenge: code_challenge.slice(0, 43),
      scopes: parseScopes(parameters.scope),
      resource: readResource(hearth.settings, parameters.resource),
    }
  } catch (error) {
    if (error instanceof Refusal && error.reason !== null)
      return { error: error.reason, message: error.message }
    throw error
  }
}
