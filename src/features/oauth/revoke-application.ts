import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { endApplication } from './applications.ts'
import { findApplication } from './store.ts'

export const revokeApplication = operation({
  name: 'revoke_application',
  summary:
    'Take back the access of an application by its id; all its tokens stop working at once. For people only. The answer is empty.',
  keywords: ['disconnect an app', 'remove OAuth access', 'deauthorize', 'third-party app'],
  route: 'DELETE /user/applications/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the application.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, write }, { id }) =>
    write((tx) => {
      const row = findApplication(tx.db, id)
      if (row?.user_id !== caller.id) throw notFound('the application')
      endApplication(tx, row)
      tx.audit({
        action: 'application.revoked',
        target: { kind: 'application', id: row.id, name: row.name },
        data: { host: row.host },
      })
      return null
    }),
})
