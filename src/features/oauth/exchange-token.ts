import { publicWrite } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Tx, Write } from '#core/write.ts'
import { findUserById } from '#features/accounts/index.ts'
import type { Refusal } from '#lib/errors.ts'
import { sameBytes, sha256 } from '#lib/hash.ts'
import { REUSE_GRACE_MS, issueTokenPair, revokeReusedGrant } from './token-chain.ts'
import { isDocumentAddress } from './client-documents.ts'
import { registeredClient } from './clients.ts'
import { oauthError } from './errors.ts'
import { readResource } from './resources.ts'
import { TokenResponse } from './schema.ts'
import { areScopesWithin, parseScopes } from './scopes.ts'
import { findGrant, setCodeUsed, type GrantWithApplication } from './store.ts'
import { findRefreshToken, setRefreshTokenUsed } from './store-refresh.ts'

const Text = Type.Optional(Type.String({ maxLength: 8000 }))

type TokenRequest = {
  grant_type?: string
  client_id: string
  code?: string
  redirect_uri?: string
  code_verifier?: string
  refresh_token?: string
  scope?: string
  resource?: string
}

/**
 * The token endpoint (RFC 6749 sections 4.1.3 and 6). A failed check does not consume the code or
 * refresh token.
 */
export const exchangeToken = operation({
  name: 'exchange_token',
  summary:
    'Exchange a code or a refresh token of an application for an access token and the next refresh token. The access token before it ends within 60 seconds.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    grant_type: Text,
    client_id: Text,
    code: Text,
    redirect_uri: Text,
    code_verifier: Text,
    refresh_token: Text,
    scope: Text,
    resource: Text,
  }),
  output: TokenResponse,
  secretAnswer: true,

  handler: async ({ hearth, write }, { client_id = '', ...input }) => {
    if (!input.grant_type) throw oauthError('invalid_request', 'grant_type is missing')
    if (client_id === '') throw oauthError('invalid_client', 'client_id is missing')
    // A client with a document is identified by its URL. The grant contains what it was approved
    // with.
    if (!isDocumentAddress(client_id)) await registeredClient(hearth, client_id)
    const request: TokenRequest = { ...input, client_id }
    switch (input.grant_type) {
      case 'authorization_code':
        return writeExchange(write, (tx) => redeemCode(hearth, tx, request))
      case 'refresh_token':
        return writeExchange(write, (tx) => refresh(hearth, tx, request))
      default:
        throw oauthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token',
        )
    }
  },
})

/**
 * A refusal is returned and thrown after the commit. Thrown inside the transaction, it would roll
 * back the revocation of the chain.
 */
type ExchangeResult = { readonly tokens: TokenResponse } | { readonly refused: Refusal }

async function writeExchange(
  write: Write,
  run: (tx: Tx) => ExchangeResult,
): Promise<TokenResponse> {
  const outcome = await write(run)
  if ('refused' in outcome) throw outcome.refused
  return outcome.tokens
}

const invalidGrant = (message: string) => oauthError('invalid_grant', message)

/**
 * Checks that apply to every grant: it belongs to this client, its user is active, and the resource
 * is the approved one.
 */
function requireGrant(
  hearth: Hearth,
  tx: Tx,
  grant: GrantWithApplication | null,
  { client_id, resource }: TokenRequest,
): GrantWithApplication {
  if (!grant || grant.client_hash !== sha256(client_id))
    throw invalidGrant('this is unknown, has ended, or belongs to another application')
  const user = findUserById(tx.db, grant.user_id)
  if (!user || user.suspended_at !== null) throw invalidGrant('this account is suspended')
  const requested = readResource(hearth.settings, resource)
  if (requested !== null && grant.resource !== null && requested !== grant.resource)
    throw oauthError('invalid_target', `the access was approved for ${grant.resource}`)
  return grant
}

const scopesOf = (grant: GrantWithApplication): string[] | null =>
  grant.scopes === null ? null : (JSON.parse(grant.scopes) as string[])

function redeemCode(hearth: Hearth, tx: Tx, request: TokenRequest): ExchangeResult {
  const { code, redirect_uri, code_verifier } = request
  if (!code) throw oauthError('invalid_request', 'code is missing')
  if (!code_verifier) throw oauthError('invalid_request', 'code_verifier is missing')
  const grant = requireGrant(hearth, tx, findGrant(tx.db, sha256(code)), request)
  if (grant.used_at !== null) {
    revokeReusedGrant(tx, grant, 'code')
    return {
      refused: invalidGrant('this code was used before; the tokens that it gave are revoked'),
    }
  }
  if (grant.expires_at <= tx.now) throw invalidGrant('this code is too old; ask again')
  if (redirect_uri !== undefined && redirect_uri !== grant.redirect_uri)
    throw invalidGrant('redirect_uri is not the one that the code was sent to')
  const challenge = Buffer.from(sha256(code_verifier), 'hex').toString('base64url')
  if (!sameBytes(Buffer.from(challenge), Buffer.from(grant.challenge)))
    throw invalidGrant('code_verifier does not fit the code_challenge')
  setCodeUsed(tx.db, grant.code_hash, tx.now)
  return {
    tokens: issueTokenPair(tx, grant, {
      scopes: scopesOf(grant),
      resource: readResource(hearth.settings, request.resource),
      before: null,
    }),
  }
}

function refresh(hearth: Hearth, tx: Tx, request: TokenRequest): ExchangeResult {
  if (!request.refresh_token) throw oauthError('invalid_request', 'refresh_token is missing')
  const row = findRefreshToken(tx.db, sha256(request.refresh_token))
  const grant = requireGrant(hearth, tx, row && findGrant(tx.db, row.code_hash), request)
  if (!row || row.expires_at <= tx.now)
    throw invalidGrant('this refresh token is too old; ask the person again')
  if (row.used_at !== null) {
    if (Date.parse(row.used_at) + REUSE_GRACE_MS < tx.now_ms) {
      revokeReusedGrant(tx, grant, 'refresh token')
      return {
        refused: invalidGrant(
          'this refresh token was used before; the access of this application is revoked',
        ),
      }
    }
    throw invalidGrant(
      'this refresh token was used a moment ago; go on with the tokens of that answer',
    )
  }
  const held = scopesOf(grant)
  const requested = parseScopes(request.scope)
  if (requested !== null && !areScopesWithin(requested, held))
    throw oauthError('invalid_scope', 'a refresh cannot give more than the person approved')
  setRefreshTokenUsed(tx.db, row.secret_hash, tx.now)
  return {
    tokens: issueTokenPair(tx, grant, {
      scopes: requested ?? held,
      resource: readResource(hearth.settings, request.resource),
      before: row.token_id,
    }),
  }
}
