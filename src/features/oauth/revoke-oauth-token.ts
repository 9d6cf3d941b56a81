import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { endToken, findTokenOfSecret } from '#features/accounts/index.ts'
import { sha256 } from '#lib/hash.ts'
import { endGrant } from './applications.ts'
import { oauthError } from './errors.ts'
import { findGrant } from './store.ts'
import { findRefreshToken } from './store-refresh.ts'

/**
 * Revocation by the holder of a token (RFC 7009). An unknown token gets the same response as a
 * revoked one.
 */
export const revokeOauthToken = operation({
  name: 'revoke_oauth_token',
  summary:
    'Revoke an access or refresh token that an application holds. The answer is empty, for unknown tokens too.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    token: Type.Optional(Type.String({ maxLength: 8000 })),
    token_type_hint: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  output: Nothing,

  handler: ({ write }, { token = '' }) => {
    if (token === '') throw oauthError('invalid_request', 'token is missing')
    return write((tx) => {
      const refresh = findRefreshToken(tx.db, sha256(token))
      const grant = refresh && findGrant(tx.db, refresh.code_hash)
      if (grant) {
        endGrant(tx, grant.code_hash)
        tx.audit({
          action: 'application.signed_out',
          target: { kind: 'application', id: grant.application_id, name: grant.name },
          data: { user_id: grant.user_id },
        })
        return null
      }
      const row = findTokenOfSecret(tx.db, token)
      if (!row) return null
      if (row.source !== 'oauth' && row.source !== 'device')
        throw oauthError(
          'unsupported_token_type',
          'this token was made in the settings of an account: revoke it there',
        )
      endToken(tx, row.id)
      return null
    })
  },
})
