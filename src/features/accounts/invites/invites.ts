/**
 * Sign-up invites. A user may create any number. An invite for a workspace is charged to that
 * workspace.
 */
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { invalid } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { DAY, type Timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import type { Invite } from '../schema.ts'
import { actorOf } from '../people/actors.ts'
import {
  findInvite,
  findOpenInvite,
  insertInvite,
  setInviteRevoked,
  setInviteUsed,
  type InviteRow,
} from '../store/invites.ts'

export const INVITE_LIFETIME_MS = 30 * DAY

/**
 * Whether the caller may manage an invite: its creator, or an owner of the workspace that was
 * charged.
 */
export const mayManageInvite = (hearth: Hearth, row: InviteRow, caller: UserCaller): boolean =>
  row.workspace_id === null
    ? row.created_by === caller.id
    : hearth.facts.workspace(actorOf(hearth, row.workspace_id).username, caller)?.role === 'owner'

/** The link is a way in, so only callers who may manage the invite get it. */
export function inviteRecord(hearth: Hearth, row: InviteRow, caller: UserCaller): Invite {
  const state =
    row.state === 'pending' && Date.parse(row.expires_at) <= hearth.clock.now()
      ? 'expired'
      : row.state
  const user = actorOf(hearth, row.used_by)
  return {
    id: row.id,
    url:
      state === 'pending' && mayManageInvite(hearth, row, caller)
        ? `${hearth.settings.site_url}/register?invite=${row.code}`
        : null,
    email: row.email,
    workspace: row.workspace_id === null ? null : actorOf(hearth, row.workspace_id).username,
    charged_to:
      row.workspace_id === null
        ? { kind: 'user', id: row.created_by }
        : { kind: 'workspace', id: row.workspace_id },
    state,
    used_by: user && { id: user.id, username: user.username },
    created_at: row.created_at,
    used_at: row.used_at,
    expires_at: row.expires_at,
  }
}

/**
 * The pending invite of a code. Throws 422 for an unknown, used, revoked or expired code, and for
 * an invite to another address.
 */
export function requireInvite(
  db: Hearth['db'],
  code: string,
  email: string,
  now: string,
): InviteRow {
  const invite = findOpenInvite(db, code, now)
  if (!invite)
    throw invalid(
      'invite',
      'this invite was used already, was taken back or is too old; ask for a new one',
    )
  if (invite.email !== null && invite.email !== email)
    throw invalid('email', 'this invite is for another address')
  return invite
}

export const acceptInvite = (tx: Tx, invite: InviteRow, user_id: string): void =>
  setInviteUsed(tx.db, invite.id, user_id, tx.now)

/**
 * Creates an invite that lets an address sign up, for features that invite people to something else
 * (workspaces, repositories). Returns its id.
 */
export function permitSignUp(
  tx: Tx,
  permission: { email: string; created_by: string; expires_at: Timestamp },
): string {
  const id = typeId('ivt', tx.now_ms)
  insertInvite(tx.db, {
    id,
    code: randomToken(),
    workspace_id: null,
    created_at: tx.now,
    ...permission,
  })
  return id
}

/** Revokes such an invite unless it was used. */
export function withdrawSignUp(tx: Tx, id: string): void {
  if (findInvite(tx.db, id)?.state === 'pending') setInviteRevoked(tx.db, id)
}

/**
 * The code of such an invite, which must go to the invited mailbox only. Null when the invite is no
 * longer usable.
 */
export function findSignUpCode(db: Hearth['db'], id: string, now: Timestamp): string | null {
  const row = findInvite(db, id)
  return row && findOpenInvite(db, row.code, now)?.code ? row.code : null
}
