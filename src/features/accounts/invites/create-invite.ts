import { decide, personOnly, writesWorkspaceAsPerson, type Grant } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { EmailInput, readEmail } from '../inputs.ts'
import { INVITE_LIFETIME_MS, inviteRecord } from './invites.ts'
import { Invite } from '../schema.ts'
import { findInvite, insertInvite } from '../store/invites.ts'

const ownInvite = personOnly({ scope: 'user:write', writes: true })
const workspaceInvite = writesWorkspaceAsPerson('owner', { scope: 'user:write' })

/** Decides access. An invite with a workspace has the rule of an operation on that workspace. */
const decideInvite = (hearth: Hearth, caller: UserCaller, target: { workspace?: string }): Grant =>
  decide(target.workspace === undefined ? ownInvite : workspaceInvite, caller, target, hearth.facts)

/** Throws 409 `not_available` when nobody could register with an invite. */
function requireSignUpByInvite({ settings }: Hearth): void {
  if (settings.sign_up === 'closed')
    throw conflict('not_available', 'this site takes no new accounts, so it makes no invites')
  if (settings.sign_up === 'sso_only')
    throw conflict(
      'not_available',
      'accounts here are made by signing in through your organisation, so there are no invites',
    )
}

export const createInvite = operation({
  name: 'create_invite',
  summary:
    'Create a sign-up invite, for anyone or for one address. With a workspace (owners only) whoever uses it becomes a member there. For people only. Answers with its link.',
  keywords: ['send an invitation to the site', 'sign-up link', 'invite to register', 'referral'],
  route: 'POST /user/invites',
  toolset: 'access',
  access: ownInvite,
  input: Type.Object({
    email: Type.Optional(EmailInput),
    workspace: Type.Optional(WorkspaceSlug),
  }),
  output: Invite,
  status: 201,

  handler: ({ hearth, caller, write }, { email, workspace }) => {
    requireSignUpByInvite(hearth)
    const bound = email === undefined ? null : readEmail(email)
    return write((tx) => {
      const target = workspace === undefined ? {} : { workspace }
      const workspace_id = decideInvite(hearth, caller, target).workspace?.id ?? null
      const id = typeId('ivt', tx.now_ms)
      insertInvite(tx.db, {
        id,
        code: randomToken(),
        created_by: caller.id,
        email: bound,
        workspace_id,
        created_at: tx.now,
        expires_at: timestamp(tx.now_ms + INVITE_LIFETIME_MS),
      })
      tx.audit({
        action: 'invite.created',
        target: { kind: 'invite', id, name: bound ?? '' },
        workspace_id,
        data: { after: { email: bound, workspace_id } },
      })
      const row = findInvite(tx.db, id)
      if (!row) throw new TypeError('an invite that was just made is missing')
      return inviteRecord(hearth, row, caller)
    })
  },
})
