import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Time, Type } from '#core/schema.ts'
import { forbidden } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { findFeedToken, putFeedToken } from '../settings/store-settings.ts'

export const createFeedToken = operation({
  name: 'create_feed_token',
  summary:
    'Make the token with which feed readers read your private feeds; the one before stops working. Answers with the secret, shown once.',
  route: null,
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({}),
  output: Type.Object({ secret: Nullable(Type.String()), created_at: Time }),
  secretAnswer: true,

  handler: ({ caller, write }) => {
    if (caller.token !== null)
      throw forbidden('person_required', 'sign in on the website to make a feed token')
    const secret = randomToken(24)
    return write((tx) => {
      const before = findFeedToken(tx.db, caller.id)
      putFeedToken(tx, caller.id, sha256(secret))
      tx.audit({
        action: 'user.feed_token_created',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { replaced: before !== null },
      })
      return { secret, created_at: tx.now }
    })
  },
})
