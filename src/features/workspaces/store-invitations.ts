/**
 * The table `invitations`: into workspaces and to repositories, which are one thing but for what is
 * given.
 */
import type { Db, WritableDb } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'

export type InvitationRow = {
  id: string
  kind: 'workspace' | 'repository'
  workspace_id: string
  workspace: string
  repo_id: string | null
  /** The name of the repository; null for one into a workspace. */
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

const SELECT = `SELECT i.*, a.username AS workspace, r.name AS repo_name, r.deleted_at IS NOT NULL AS repo_deleted
  FROM invitations i JOIN actors a ON a.id = i.workspace_id LEFT JOIN repos r ON r.id = i.repo_id`

export const findInvitation = (db: Db, id: string): InvitationRow | null =>
  db.one<InvitationRow>(`${SELECT} WHERE i.id = ?`, id)

type Place = { kind: 'workspace'; workspace_id: string } | { kind: 'repository'; repo_id: string }

const at = (place: Place): string =>
  place.kind === 'workspace'
    ? `i.workspace_id = ? AND i.kind = 'workspace'`
    : `i.repo_id = ? AND i.kind = 'repository'`
const placeId = (place: Place): string =>
  place.kind === 'workspace' ? place.workspace_id : place.repo_id

/** The pending one to a person or address, if there is one. */
export const findPending = (
  db: Db,
  place: Place,
  to: { invitee_id: string | null; email: string | null },
  now: Timestamp,
): InvitationRow | null =>
  db.one<InvitationRow>(
    `${SELECT} WHERE ${at(place)} AND i.state = 'pending' AND i.expires_at > ?2 AND (i.invitee_id = ?3 OR i.email = ?4) LIMIT 1`,
    placeId(place),
    now,
    to.invitee_id,
    to.email,
  )

/** How many were sent to an address or person since a moment, whatever became of them. */
export const countSent = (
  db: Db,
  place: Place,
  to: { invitee_id: string | null; email: string | null },
  since: Timestamp,
): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM invitations i WHERE ${at(place)} AND i.created_at > ?2 AND (i.invitee_id = ?3 OR i.email = ?4)`,
    placeId(place),
    since,
    to.invitee_id,
    to.email,
  )?.count ?? 0

/** Pending ones first, then the others since a moment; newest first. */
export const listInvitations = (
  db: Db,
  place: Place,
  range: { now: Timestamp; since: Timestamp; limit: number; offset: number },
): InvitationRow[] =>
  db.all<InvitationRow>(
    `${SELECT} WHERE ${at(place)} AND (i.created_at > ?3 OR (i.state = 'pending' AND i.expires_at > ?2))
     ORDER BY i.state = 'pending' AND i.expires_at > ?2 DESC, i.id DESC LIMIT ?4 OFFSET ?5`,
    placeId(place),
    range.now,
    range.since,
    range.limit,
    range.offset,
  )

/** Pending ones alone, newest first. */
export const listPending = (db: Db, place: Place, now: Timestamp, limit: number): InvitationRow[] =>
  db.all<InvitationRow>(
    `${SELECT} WHERE ${at(place)} AND i.state = 'pending' AND i.expires_at > ? ORDER BY i.id DESC LIMIT ?`,
    placeId(place),
    now,
    limit,
  )

/** What waits for a person's answer, by account or by one of these addresses; newest first. */
export const listInvitationsTo = (
  db: Db,
  person: { id: string; addresses: readonly string[] },
  kind: InvitationRow['kind'],
  now: Timestamp,
  window: { limit: number; offset: number },
): InvitationRow[] =>
  db.all<InvitationRow>(
    `${SELECT} WHERE i.id IN (SELECT id FROM invitations WHERE invitee_id = ?1 UNION SELECT id FROM invitations WHERE email IN (SELECT value FROM json_each(?2)))
     AND i.kind = ?3 AND i.state = 'pending' AND i.expires_at > ?4 AND (i.repo_id IS NULL OR r.deleted_at IS NULL) ORDER BY i.id DESC LIMIT ?5 OFFSET ?6`,
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
    `INSERT INTO invitations (id, kind, workspace_id, repo_id, invitee_id, email, role, state, invite_id, invited_by, created_at, expires_at)
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

export const setAnswered = (
  db: WritableDb,
  id: string,
  state: 'accepted' | 'declined' | 'withdrawn',
  invitee_id: string | null,
  now: Timestamp,
): void =>
  void db.run(
    'UPDATE invitations SET state = ?, invitee_id = coalesce(?, invitee_id), answered_at = ? WHERE id = ?',
    state,
    invitee_id,
    now,
    id,
  )
