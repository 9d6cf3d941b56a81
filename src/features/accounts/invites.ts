/**
 * Sign-up invites. There is no limit to how many one may make; an invite for a workspace is charged
 * to that workspace.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { invalid } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { DAY, type Timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import type { Invite } from './schema.ts'
import { actorOf } from './actors.ts'
import {
  findInvite,
  findOpenInvite,
  insertInvite,
  setInviteRevoked,
  setInviteUsed,
  type InviteRow,
} from './store-invites.ts'

export const INVITE_MS = 30 * DAY

export function inviteRecord(
  hearth: Pick<Hearth, 'db' | 'settings' | 'clock'>,
  row: InviteRow,
): Invite {
  const state =
    row.state === 'pending' && Date.parse(row.expires_at) <= hearth.clock.now()
      ? 'expired'
      : row.state
  const user = actorOf(hearth, row.used_by)
  return {
    id: row.id,
    url: state === 'pending' ? `${hearth.settings.site_url}/register?invite=${row.code}` : null,
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
 * The invite of a code, for an address. Gives 422 for a code that is unknown, used, revoked or too
 * old, and for another address.
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
 * Permission to make an account with an address, for those who invite it to something else than
 * this site. Gives its id.
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

/** Takes such a permission back, unless it was used. */
export function withdrawSignUp(tx: Tx, id: string): void {
  if (findInvite(tx.db, id)?.state === 'pending') setInviteRevoked(tx.db, id)
}

/**
 * The code of such a permission, which only the reader of the address is to get; null when it
 * cannot be used any more.
 */
export function signUpCode(db: Hearth['db'], id: string, now: Timestamp): string | null {
  const row = findInvite(db, id)
  return row && findOpenInvite(db, row.code, now)?.code ? row.code : null
}
