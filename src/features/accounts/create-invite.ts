import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { forbidden, notFound } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import { EmailInput, readEmail } from './inputs.ts'
import { INVITE_MS, inviteRecord } from './invites.ts'
import { Invite } from './schema.ts'
import { findInvite, insertInvite } from './store-invites.ts'

export const createInvite = operation({
  name: 'create_invite',
  summary:
    'Create a sign-up invite, for anyone or for one address. With a workspace (owners only) whoever uses it becomes a member there. For people only. Answers with its link.',
  route: 'POST /user/invites',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    email: Type.Optional(EmailInput),
    workspace: Type.Optional(WorkspaceSlug),
  }),
  output: Invite,
  status: 201,

  handler: ({ hearth, caller, write }, { email, workspace }) => {
    const bound = email === undefined ? null : readEmail(email)
    return write((tx) => {
      let workspace_id: string | null = null
      if (workspace !== undefined) {
        const facts = hearth.facts.workspace(workspace, caller)
        if (facts === null || facts.role === null) throw notFound(`the workspace ${workspace}`)
        if (facts.role !== 'owner')
          throw forbidden('role', `only an owner of the workspace ${workspace} may do this`)
        workspace_id = facts.id
      }
      const id = typeId('ivt', tx.now_ms)
      insertInvite(tx.db, {
        id,
        code: randomToken(),
        created_by: caller.id,
        email: bound,
        workspace_id,
        created_at: tx.now,
        expires_at: timestamp(tx.now_ms + INVITE_MS),
      })
      tx.audit({
        action: 'invite.created',
        target: { kind: 'invite', id, name: bound ?? '' },
        workspace_id,
        data: { after: { email: bound, workspace_id } },
      })
      const row = findInvite(tx.db, id)
      if (!row) throw new TypeError('an invite that was just made is missing')
      return inviteRecord(hearth, row)
    })
  },
})
