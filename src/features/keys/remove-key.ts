import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { signingKeysChanged } from '#features/repos/index.ts'
import { findKey, removeKeyRow } from './store.ts'

export const removeKey = operation({
  name: 'remove_key',
  summary:
    'Remove a public SSH key of your own account by its id; what was signed with it is no longer shown as verified. For people only. The answer is empty.',
  keywords: ['delete SSH key', 'lost a key'],
  route: 'DELETE /user/keys/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the key.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, write }, { id }) =>
    write((tx) => {
      const row = findKey(tx.db, id)
      if (row?.user_id !== caller.id) throw notFound('the key')
      removeKeyRow(tx.db, id)
      tx.emit(signingKeysChanged, {})
      tx.audit({
        action: 'key.removed',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { before: { title: row.title, usage: row.usage, fingerprint: row.fingerprint } },
      })
      return null
    }),
})
