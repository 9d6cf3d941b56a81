import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { removeFeedToken as removeRow } from '../settings/store-settings.ts'

export const removeFeedToken = operation({
  name: 'remove_feed_token',
  summary: 'Take away your feed token; private feeds are closed to it at once.',
  route: null,
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  annotations: { destructive: true },
  input: Type.Object({}),
  output: Nothing,
  status: 204,

  handler: ({ caller, write }) =>
    write((tx) => {
      if (removeRow(tx, caller.id))
        tx.audit({
          action: 'user.feed_token_removed',
          target: { kind: 'user', id: caller.id, name: caller.username },
        })
      return null
    }),
})
