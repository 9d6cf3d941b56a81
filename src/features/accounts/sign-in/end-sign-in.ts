import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { findSignInById, removeSignIn } from '../store/sign-ins.ts'

export const endSignIn = operation({
  name: 'end_sign_in',
  summary:
    'Sign one of your browsers out of the website, by the id of its sign-in; it ends at once. For people only. The answer is empty.',
  keywords: ['log out a device', 'sign out elsewhere', 'end a browser session', 'kill a login'],
  route: 'DELETE /user/sessions/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the sign-in.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, write }, { id }) =>
    write((tx) => {
      if (findSignInById(tx.db, id)?.user_id !== caller.id) throw notFound('the sign-in')
      removeSignIn(tx.db, id)
      tx.audit({
        action: 'user.sign_in_ended',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { sign_in: id },
      })
      return null
    }),
})
