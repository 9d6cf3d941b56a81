import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { findToken } from '../store/tokens.ts'
import { endToken } from './end-tokens.ts'

export const revokeToken = operation({
  name: 'revoke_token',
  summary:
    'Revoke a token of your own account by its id; it stops working at once. For people only. The answer is empty.',
  keywords: ['delete access token', 'leaked token', 'invalidate API key', 'rotate PAT'],
  route: 'DELETE /user/tokens/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the token.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, write }, { id }) =>
    write((tx) => {
      if (findToken(tx.db, id)?.actor_id !== caller.id) throw notFound('the token')
      endToken(tx, id)
      return null
    }),
})
