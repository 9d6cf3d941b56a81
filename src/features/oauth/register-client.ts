import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { oneLine } from '#lib/one-line.ts'
import { signClientId } from './client-ids.ts'
import { issuersOf } from './clients.ts'
import { oauthError } from './errors.ts'
import { redirectProblem } from './redirects.ts'

const MAX_NAME_LENGTH = 64
const DEFAULT_NAME = 'Unnamed application'
const MAX_REDIRECT_URIS = 10
/** The client id contains the URIs and must fit into every URL that carries it. */
const MAX_REDIRECT_URIS_LENGTH = 2_000

/** Registers a client (RFC 7591). Nothing is stored; see `client-ids.ts`. */
export const registerClient = operation({
  name: 'register_client',
  summary:
    'Register an application that asks people for access (RFC 7591). Anyone may. The client id in the answer holds what was registered.',
  route: null,
  access: publicRead(),
  input: Type.Object({
    issuer: Type.String({
      maxLength: 2000,
      description: 'The issuer whose registration address was called.',
    }),
    client_name: Type.Optional(
      Type.Unknown({ description: 'What people are shown, at most 64 characters.' }),
    ),
    redirect_uris: Type.Optional(
      Type.Unknown({ description: 'Where people may be sent back to, 1 to 10 addresses.' }),
    ),
  }),
  output: Type.Object({
    client_id: Type.String(),
    client_id_issued_at: Type.Integer(),
    client_name: Type.String(),
    redirect_uris: Type.Array(Type.String()),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.String(),
  }),
  status: 201,

  handler: async ({ hearth, now_ms }, { issuer, client_name = DEFAULT_NAME, redirect_uris }) => {
    if (!issuersOf(hearth).includes(issuer))
      throw oauthError('invalid_request', 'there is no such issuer here')
    if (typeof client_name !== 'string')
      throw oauthError('invalid_client_metadata', 'client_name must be text')
    if ([...client_name].length > MAX_NAME_LENGTH)
      throw oauthError(
        'invalid_client_metadata',
        `client_name must have at most ${MAX_NAME_LENGTH} characters`,
      )
    const addresses = readRedirectUris(redirect_uris)
    const name = oneLine(client_name, MAX_NAME_LENGTH) || DEFAULT_NAME
    return {
      client_id: await signClientId(hearth, { issuer, name, redirect_uris: addresses }),
      client_id_issued_at: Math.floor(now_ms / 1000),
      client_name: name,
      redirect_uris: addresses,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  },
})

function readRedirectUris(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS) {
    throw oauthError(
      'invalid_redirect_uri',
      `redirect_uris must be an array of 1 to ${MAX_REDIRECT_URIS} addresses`,
    )
  }
  const addresses = value.map((uri: unknown, index) => {
    const problem = typeof uri === 'string' ? redirectProblem(uri) : 'must be text'
    if (problem !== null)
      throw oauthError('invalid_redirect_uri', `redirect_uris[${index}] ${problem}`)
    return String(uri)
  })
  if (addresses.join('').length > MAX_REDIRECT_URIS_LENGTH)
    throw oauthError(
      'invalid_redirect_uri',
      `redirect_uris must have at most ${MAX_REDIRECT_URIS_LENGTH} characters together`,
    )
  return addresses
}
