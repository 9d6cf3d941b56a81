/** Records of approved applications, and the parameters of an authorization request. */
import { Id, ListOf, Nullable, Time, Type, type Static } from '#core/schema.ts'

export const Application = Type.Object(
  {
    id: Id('app'),
    name: Type.String({ description: 'What the application calls itself.' }),
    host: Type.String({ description: 'Where it is answered: a host, or the scheme of a program.' }),
    url: Nullable(
      Type.String({ description: 'Where it describes itself, when its id is an address.' }),
    ),
    scopes: Nullable(Type.Array(Type.String(), { description: 'Null is full rights.' })),
    approved_at: Time,
    last_used_at: Nullable(Time),
    expires_at: Nullable(Time),
  },
  { $id: 'Application', description: 'An application that a person let in.' },
)
export type Application = Static<typeof Application>
export const Applications = ListOf(Application)

const Parameter = (description: string, maxLength = 1000) =>
  Type.Optional(Type.String({ maxLength, description }))

/**
 * The parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3, RFC
 * 8707 section 2), not validated yet.
 */
export const authorizationParameters = {
  client_id: Parameter('The id of the application.', 8000),
  redirect_uri: Parameter('Where the answer goes.'),
  response_type: Parameter('The word code.'),
  response_mode: Parameter('The word query, or nothing.'),
  code_challenge: Parameter('The SHA-256 of the verifier as base64url.'),
  code_challenge_method: Parameter('The word S256.'),
  state: Parameter('Given back as it is.', 4000),
  scope: Parameter(
    'Scopes separated by spaces; none asks for the full rights of the account.',
    4000,
  ),
  resource: Parameter('The address of the interface that the access is for.'),
  /** Set when the request comes through the authorization endpoint of the REST API. */
  issuer: Parameter('The issuer that the application found.'),
}
export type AuthorizationParameters = Partial<Record<keyof typeof authorizationParameters, string>>

export const TokenResponse = Type.Object({
  access_token: Type.String(),
  token_type: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  scope: Type.String(),
})
export type TokenResponse = Static<typeof TokenResponse>
