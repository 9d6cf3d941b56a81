import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, notFound } from '#lib/errors.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from './actors.ts'
import { inviteRecord } from './invites.ts'
import { Invite } from './schema.ts'
import { findInvite, setInviteRevoked, type InviteRow } from './store-invites.ts'

/** An invite belongs to whoever was charged for it: its maker, or the owners of its workspace. */
const isChargedTo = (hearth: Hearth, invite: InviteRow, caller: UserCaller): boolean =>
  invite.workspace_id === null
    ? invite.created_by === caller.id
    : hearth.facts.workspace(actorOf(hearth, invite.workspace_id).username, caller)?.role ===
      'owner'

export const revokeInvite = operation({
  name: 'revoke_invite',
  summary:
    'Take back a sign-up invite that is still pending; whoever was charged for it gets it back. For people only. Answers with the invite.',
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
      if (!row || !isChargedTo(hearth, row, caller)) throw notFound('the invite')
      const { state } = inviteRecord(hearth, row)
      if (state !== 'pending') throw conflict('not_open', `this invite is ${state}, not pending`)
      setInviteRevoked(tx.db, id)
      tx.audit({
        action: 'invite.revoked',
        target: { kind: 'invite', id, name: row.email ?? '' },
        workspace_id: row.workspace_id,
        data: { before: { created_by: row.created_by } },
      })
      return inviteRecord(hearth, { ...row, state: 'revoked' })
    }),
})
