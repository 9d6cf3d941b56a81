import { publicWrite } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Tx, Write } from '#core/write.ts'
import { findUserById } from '#features/accounts/index.ts'
import type { Refusal } from '#lib/errors.ts'
import { sameBytes, sha256 } from '#lib/hash.ts'
import { GRACE_MS, issuePair, punishReuse } from './chain.ts'
import { isDocumentAddress } from './client-documents.ts'
import { registeredClient } from './clients.ts'
import { oauthError } from './errors.ts'
import { readResource } from './resources.ts'
import { TokenAnswer } from './schema.ts'
import { isWithin, readScope } from './scopes.ts'
import { findGrant, setCodeUsed, type GrantOfUser } from './store.ts'
import { findRefresh, setRefreshUsed } from './store-refresh.ts'

const Text = Type.Optional(Type.String({ maxLength: 8000 }))

type Asked = {
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
 * The token endpoint (RFC 6749 sections 4.1.3 and 6). No failed check uses a code or a refresh
 * token up.
 */
export const exchangeToken = operation({
  name: 'exchange_token',
  summary:
    'Exchange a code or a refresh token of an application for an access token and the next refresh token.',
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
  output: TokenAnswer,
  secretAnswer: true,

  handler: async ({ hearth, write }, { client_id = '', ...input }) => {
    if (!input.grant_type) throw oauthError('invalid_request', 'grant_type is missing')
    if (client_id === '') throw oauthError('invalid_client', 'client_id is missing')
    // A described client is known by its address alone: what it was approved with stands in the
    // grant.
    if (!isDocumentAddress(client_id)) await registeredClient(hearth, client_id)
    const asked: Asked = { ...input, client_id }
    switch (input.grant_type) {
      case 'authorization_code':
        return answered(write, (tx) => redeemCode(hearth, tx, asked))
      case 'refresh_token':
        return answered(write, (tx) => refresh(hearth, tx, asked))
      default:
        throw oauthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token',
        )
    }
  },
})

/**
 * A refusal that must leave its trace: thrown inside the transaction it would undo the ending of a
 * chain.
 */
type Outcome = { readonly tokens: TokenAnswer } | { readonly refused: Refusal }

async function answered(write: Write, run: (tx: Tx) => Outcome): Promise<TokenAnswer> {
  const outcome = await write(run)
  if ('refused' in outcome) throw outcome.refused
  return outcome.tokens
}

const badGrant = (message: string) => oauthError('invalid_grant', message)

/**
 * What holds for every grant: it is this client's, its person is there, and the resource is the one
 * that was approved.
 */
function requireGrant(
  hearth: Hearth,
  tx: Tx,
  grant: GrantOfUser | null,
  { client_id, resource }: Asked,
): GrantOfUser {
  if (!grant || grant.client_hash !== sha256(client_id))
    throw badGrant('this is unknown, has ended, or belongs to another application')
  const user = findUserById(tx.db, grant.user_id)
  if (!user || user.suspended_at !== null) throw badGrant('this account is suspended')
  const wanted = readResource(hearth.settings, resource)
  if (wanted !== null && grant.resource !== null && wanted !== grant.resource)
    throw oauthError('invalid_target', `the access was approved for ${grant.resource}`)
  return grant
}

const scopesOf = (grant: GrantOfUser): string[] | null =>
  grant.scopes === null ? null : (JSON.parse(grant.scopes) as string[])

function redeemCode(hearth: Hearth, tx: Tx, asked: Asked): Outcome {
  const { code, redirect_uri, code_verifier } = asked
  if (!code) throw oauthError('invalid_request', 'code is missing')
  if (!code_verifier) throw oauthError('invalid_request', 'code_verifier is missing')
  const grant = requireGrant(hearth, tx, findGrant(tx.db, sha256(code)), asked)
  if (grant.used_at !== null) {
    punishReuse(tx, grant, 'code')
    return { refused: badGrant('this code was used before; the tokens that it gave are revoked') }
  }
  if (grant.expires_at <= tx.now) throw badGrant('this code is too old; ask again')
  if (redirect_uri !== undefined && redirect_uri !== grant.redirect_uri)
    throw badGrant('redirect_uri is not the one that the code was sent to')
  const challenge = Buffer.from(sha256(code_verifier), 'hex').toString('base64url')
  if (!sameBytes(Buffer.from(challenge), Buffer.from(grant.challenge)))
    throw badGrant('code_verifier does not fit the code_challenge')
  setCodeUsed(tx.db, grant.code_hash, tx.now)
  return {
    tokens: issuePair(tx, grant, {
      scopes: scopesOf(grant),
      resource: readResource(hearth.settings, asked.resource),
      before: null,
    }),
  }
}

function refresh(hearth: Hearth, tx: Tx, asked: Asked): Outcome {
  if (!asked.refresh_token) throw oauthError('invalid_request', 'refresh_token is missing')
  const row = findRefresh(tx.db, sha256(asked.refresh_token))
  const grant = requireGrant(hearth, tx, row && findGrant(tx.db, row.code_hash), asked)
  if (!row || row.expires_at <= tx.now)
    throw badGrant('this refresh token is too old; ask the person again')
  if (row.used_at !== null) {
    if (Date.parse(row.used_at) + GRACE_MS < tx.now_ms) {
      punishReuse(tx, grant, 'refresh token')
      return {
        refused: badGrant(
          'this refresh token was used before; the access of this application is revoked',
        ),
      }
    }
    throw badGrant('this refresh token was used a moment ago; go on with the tokens of that answer')
  }
  const held = scopesOf(grant)
  const wanted = readScope(asked.scope)
  if (wanted !== null && !isWithin(wanted, held))
    throw oauthError('invalid_scope', 'a refresh cannot give more than the person approved')
  setRefreshUsed(tx.db, row.secret_hash, tx.now)
  return {
    tokens: issuePair(tx, grant, {
      scopes: wanted ?? held,
      resource: readResource(hearth.settings, asked.resource),
      before: row.token_id,
    }),
  }
}
