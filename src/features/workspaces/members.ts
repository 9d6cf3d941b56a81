/** Members of a workspace. */
import type { WorkspaceRole } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, loadActors } from '#features/accounts/index.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { memberAdded, memberRemoved } from './events.ts'
import { requireQuota } from './extension-points.ts'
import type { Member } from './schema.ts'
import {
  countMemberships,
  countOwners,
  findMember,
  findStanding,
  insertMember,
  removeMemberRow,
  setMemberRole,
  type MemberRow,
} from './store.ts'

/** Throws 409 `limit_reached` when the user belongs to the maximum number of workspaces. */
export function requireMembershipLimit(tx: Tx, user_id: string): void {
  const limit = tx.hearth.settings.workspaces_per_person
  if (countMemberships(tx.db, user_id) >= limit) {
    throw conflict('limit_reached', `a person can belong to at most ${limit} workspaces`, { limit })
  }
}

export type NewMember = {
  workspace_id: string
  user_id: string
  role: WorkspaceRole
  invited_by?: string | null
}

/** Adds a member and appends `member.added`. Throws 409 `already_exists` and `limit_reached`. */
export function addMember(
  tx: Tx,
  { workspace_id, user_id, role, invited_by = null }: NewMember,
): void {
  const { username } = actorOf(tx.hearth, user_id)
  if (findStanding(tx.db, workspace_id, user_id))
    throw conflict('already_exists', `${username} belongs to this workspace already`)
  requireMembershipLimit(tx, user_id)
  requireQuota(tx.hearth, tx.db, workspace_id, 'members', 1)
  insertMember(tx.db, { workspace_id, user_id, role, invited_by, now: tx.now })
  tx.append(memberAdded, { workspace_id, repo_id: null }, { username, role })
  tx.audit({
    action: 'workspace.member_added',
    target: { kind: 'user', id: user_id, name: username },
    workspace_id,
    data: { after: { role } },
  })
}

/** Throws 404 for a user who is not a member. */
export function requireMember(
  db: Db,
  workspace: { id: string; slug: string },
  username: string,
): MemberRow {
  const member = findMember(db, workspace.id, username)
  if (!member) throw notFound(`the member ${username} of ${workspace.slug}`)
  return member
}

/** Throws 409 `last_owner` when the workspace would have no owner left. */
export function requireAnotherOwner(tx: Tx, workspace_id: string, member: MemberRow): void {
  if (member.role === 'owner' && countOwners(tx.db, workspace_id) === 1) {
    throw conflict(
      'last_owner',
      `${member.username} is the last owner; make someone else an owner first`,
    )
  }
}

export function endMembership(tx: Tx, workspace_id: string, member: MemberRow): void {
  requireAnotherOwner(tx, workspace_id, member)
  removeMemberRow(tx.db, workspace_id, member.user_id)
  tx.append(
    memberRemoved,
    { workspace_id, repo_id: null },
    { username: member.username, role: member.role },
  )
  tx.audit({
    action: 'workspace.member_removed',
    target: { kind: 'user', id: member.user_id, name: member.username },
    workspace_id,
    data: { before: { role: member.role } },
  })
}

/** Throws 409 `last_owner` as `requireAnotherOwner` does. */
export function changeMemberRole(
  tx: Tx,
  workspace_id: string,
  member: MemberRow,
  role: WorkspaceRole,
): void {
  if (role === member.role) return
  if (role === 'member') requireAnotherOwner(tx, workspace_id, member)
  setMemberRole(tx.db, workspace_id, member.user_id, role)
  tx.audit({
    action: 'workspace.member_role_changed',
    target: { kind: 'user', id: member.user_id, name: member.username },
    workspace_id,
    data: { before: { role: member.role }, after: { role } },
  })
}

/** The records of members. Only owners see whether a member uses a second factor. */
export function memberRecords(
  hearth: Hearth,
  rows: readonly MemberRow[],
  viewer: WorkspaceRole,
): Member[] {
  const actor = loadActors(
    hearth,
    rows.flatMap(({ user_id, invited_by }) => [user_id, invited_by]),
  )
  return rows.map((row) => ({
    user: actor(row.user_id),
    role: row.role,
    two_factor_enabled: viewer === 'owner' ? row.two_factor_enabled === 1 : null,
    // Membership in a secret team is as secret as the team.
    teams_count: viewer === 'owner' ? row.teams : row.visible_teams,
    joined_at: row.joined_at,
    invited_by: actor(row.invited_by),
  }))
}

/** The record of one member. */
export function memberRecord(hearth: Hearth, row: MemberRow, viewer: WorkspaceRole): Member {
  const [record] = memberRecords(hearth, [row], viewer)
  if (!record) throw new TypeError('a member has no record')
  return record
}
