import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { inviteRecord, mayManageInvite } from './invites.ts'
import { Invite } from '../schema.ts'
import { findInvite, setInviteRevoked } from '../store/invites.ts'

export const revokeInvite = operation({
  name: 'revoke_invite',
  summary:
    'Take back a sign-up invite that is still pending; whoever was charged for it gets it back. For people only. Answers with the invite.',
  keywords: ['cancel sign-up invite', 'withdraw invite link'],
  route: 'DELETE /user/invites/{id}',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the invite.' }),
  }),
  output: Invite,
  annotations: { destructive: true },

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = findInvite(tx.db, id)
      if (!row || !mayManageInvite(hearth, row, caller)) throw notFound('the invite')
      const { state } = inviteRecord(hearth, row, caller)
      if (state !== 'pending') throw conflict('not_open', `this invite is ${state}, not pending`)
      setInviteRevoked(tx.db, id)
      tx.audit({
        action: 'invite.revoked',
        target: { kind: 'invite', id, name: row.email ?? '' },
        workspace_id: row.workspace_id,
        data: { before: { created_by: row.created_by } },
      })
      return inviteRecord(hearth, { ...row, state: 'revoked' }, caller)
    }),
})
