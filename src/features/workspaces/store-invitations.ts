/** The table `invitations`: invitations into workspaces and to repositories. */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type InvitationRow = {
  id: string
  kind: 'workspace' | 'repository'
  workspace_id: string
  workspace: string
  repo_id: string | null
  /** The name of the repository. Null for an invitation into a workspace. */
  repo_name: string | null
  repo_deleted: 0 | 1
  invitee_id: string | null
  email: string | null
  role: string
  state: 'pending' | 'accepted' | 'declined' | 'withdrawn'
  invite_id: string | null
  invited_by: string | null
  created_at: Timestamp
  answered_at: Timestamp | null
  expires_at: Timestamp
}

const SELECT = `SELECT i.*, a.username AS workspace, r.name AS repo_name,
  r.deleted_at IS NOT NULL AS repo_deleted
  FROM invitations i JOIN actors a ON a.id = i.workspace_id LEFT JOIN repos r ON r.id = i.repo_id`

export const findInvitation = (db: Db, id: string): InvitationRow | null =>
  db.one<InvitationRow>(`${SELECT} WHERE i.id = ?`, id)

type InvitationTarget =
  | { kind: 'workspace'; workspace_id: string }
  | { kind: 'repository'; repo_id: string }

const targetCondition = (target: InvitationTarget): string =>
  target.kind === 'workspace'
    ? `i.workspace_id = ? AND i.kind = 'workspace'`
    : `i.repo_id = ? AND i.kind = 'repository'`
const targetId = (target: InvitationTarget): string =>
  target.kind === 'workspace' ? target.workspace_id : target.repo_id

/** The pending invitation to a user or address. */
export const findPendingInvitation = (
  db: Db,
  target: InvitationTarget,
  to: { invitee_id: string | null; email: string | null },
  now: Timestamp,
): InvitationRow | null =>
  db.one<InvitationRow>(
    `${SELECT} WHERE ${targetCondition(target)} AND i.state = 'pending' AND i.expires_at > ?2
     AND (i.invitee_id = ?3 OR i.email = ?4) LIMIT 1`,
    targetId(target),
    now,
    to.invitee_id,
    to.email,
  )

/** The number of invitations to a user or address since a time, in any state. */
export const countSentInvitations = (
  db: Db,
  target: InvitationTarget,
  to: { invitee_id: string | null; email: string | null },
  since: Timestamp,
): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM invitations i WHERE ${targetCondition(target)}
     AND i.created_at > ?2 AND (i.invitee_id = ?3 OR i.email = ?4)`,
    targetId(target),
    since,
    to.invitee_id,
    to.email,
  )?.count ?? 0

/** Pending invitations first, then the others since a time; newest first. */
export const listInvitations = (
  db: Db,
  target: InvitationTarget,
  range: { now: Timestamp; since: Timestamp; limit: number; offset: number },
): InvitationRow[] =>
  db.all<InvitationRow>(
    `${SELECT} WHERE ${targetCondition(target)} AND (i.created_at > ?3 OR (i.state = 'pending'
     AND i.expires_at > ?2))
     ORDER BY i.state = 'pending' AND i.expires_at > ?2 DESC, i.id DESC LIMIT ?4 OFFSET ?5`,
    targetId(target),
    range.now,
    range.since,
    range.limit,
    range.offset,
  )

/** Pending invitations, newest first. */
export const listPendingInvitations = (
  db: Db,
  target: InvitationTarget,
  now: Timestamp,
  limit: number,
): InvitationRow[] =>
  db.all<InvitationRow>(
    `${SELECT} WHERE ${targetCondition(target)} AND i.state = 'pending' AND i.expires_at > ?
     ORDER BY i.id DESC LIMIT ?`,
    targetId(target),
    now,
    limit,
  )

/** Pending invitations of a user, by account or by one of these addresses; newest first. */
export const listInvitationsTo = (
  db: Db,
  person: { id: string; addresses: readonly string[] },
  kind: InvitationRow['kind'],
  now: Timestamp,
  window: { limit: number; offset: number },
): InvitationRow[] =>
  db.all<InvitationRow>(
    `${SELECT} WHERE i.id IN (SELECT id FROM invitations WHERE invitee_id = ?1 UNION SELECT id
     FROM invitations WHERE email IN (SELECT value FROM json_each(?2)))
     AND i.kind = ?3 AND i.state = 'pending' AND i.expires_at > ?4 AND (i.repo_id IS NULL
     OR r.deleted_at IS NULL) ORDER BY i.id DESC LIMIT ?5 OFFSET ?6`,
    person.id,
    JSON.stringify(person.addresses),
    kind,
    now,
    window.limit,
    window.offset,
  )

export type NewInvitation = Pick<
  InvitationRow,
  | 'id'
  | 'kind'
  | 'workspace_id'
  | 'repo_id'
  | 'invitee_id'
  | 'email'
  | 'role'
  | 'invite_id'
  | 'invited_by'
  | 'created_at'
  | 'expires_at'
>

export const insertInvitation = (db: WritableDb, row: NewInvitation): void =>
  void db.run(
    `INSERT INTO invitations (id, kind, workspace_id, repo_id, invitee_id, email, role, state,
     invite_id, invited_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
    row.id,
    row.kind,
    row.workspace_id,
    row.repo_id,
    row.invitee_id,
    row.email,
    row.role,
    row.invite_id,
    row.invited_by,
    row.created_at,
    row.expires_at,
  )

export const setInvitationState = (
  db: WritableDb,
  id: string,
  state: 'accepted' | 'declined' | 'withdrawn',
  invitee_id: string | null,
  now: Timestamp,
): void =>
  void db.run(
    `UPDATE invitations SET state = ?, invitee_id = coalesce(?, invitee_id), answered_at = ?
     WHERE id = ?`,
    state,
    invitee_id,
    now,
    id,
  )
