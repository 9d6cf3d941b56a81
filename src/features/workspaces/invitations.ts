/**
 * Invitations into a workspace or to a repository, for an account or an email address. An
 * invitation to an address does not reveal which account has it until that user answers.
 */
import { personOnly } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import { internalEvent } from '#core/events.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import {
  actorOf,
  confirmedAddresses,
  permitSignUp,
  withdrawSignUp,
} from '#features/accounts/index.ts'
import { conflict, notFound } from '#lib/errors.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { isTypeId, typeId } from '#core/ids.ts'
import { mailInvitation } from './invitation-mail.ts'
import {
  countSentInvitations,
  findInvitation,
  findPendingInvitation,
  insertInvitation,
  listPendingInvitations,
  setInvitationState,
  type InvitationRow,
} from './store-invitations.ts'

const INVITATION_LIFETIME_MS = 7 * DAY
/** The most invitations per day to one user or address. More would flood a mailbox. */
const MAX_INVITATIONS_PER_DAY = 5

export const Invitation = Type.Object(
  {
    id: Id('inv'),
    kind: OneOf(['workspace', 'repository'] as const),
    workspace: Type.String(),
    repository: Nullable(
      Type.Object({ id: Id('rep'), name: Type.String(), full_name: Type.String() }),
    ),
    invitee: Nullable(
      Type.Object(
        { id: Id('usr'), username: Type.String(), avatar_url: Type.String() },
        {
          description:
            'The account that is invited, or that answered; null while an address is invited.',
        },
      ),
    ),
    email: Nullable(Type.String({ description: 'The address, when it was invited by one.' })),
    role: OneOf(['member', 'owner', 'read', 'triage', 'write', 'maintain', 'admin'] as const),
    state: OneOf(['pending', 'accepted', 'declined', 'withdrawn', 'expired'] as const),
    invited_by: Nullable(Actor),
    created_at: Time,
    answered_at: Nullable(Time),
    expires_at: Time,
    html_url: Type.String({ description: 'The page to accept it.' }),
  },
  { $id: 'Invitation', description: 'An invitation into a workspace or to a repository.' },
)
export type Invitation = Static<typeof Invitation>
export const Invitations = ListOf(Invitation)

/** An invitation was sent, answered or withdrawn. */
export const invitationChanged = internalEvent(
  'invitation.changed',
  Type.Object({
    id: Id('inv'),
    state: OneOf(['pending', 'accepted', 'declined', 'withdrawn'] as const),
  }),
)

export const invitationUrl = ({ settings }: Pick<Hearth, 'settings'>, id: string): string =>
  `${settings.site_url}/invite/${id}`

export function invitationRecord(
  hearth: Pick<Hearth, 'db' | 'settings' | 'clock'>,
  row: InvitationRow,
): Invitation {
  const invitee = actorOf(hearth, row.invitee_id)
  return {
    id: row.id,
    kind: row.kind,
    workspace: row.workspace,
    repository:
      row.repo_id === null
        ? null
        : {
            id: row.repo_id,
            name: row.repo_name ?? '',
            full_name: `${row.workspace}/${row.repo_name ?? ''}`,
          },
    invitee: invitee && {
      id: invitee.id,
      username: invitee.username,
      avatar_url: invitee.avatar_url,
    },
    email: row.email,
    role: row.role as Invitation['role'],
    state:
      row.state === 'pending' && Date.parse(row.expires_at) <= hearth.clock.now()
        ? 'expired'
        : row.state,
    invited_by: actorOf(hearth, row.invited_by),
    created_at: row.created_at,
    answered_at: row.answered_at,
    expires_at: row.expires_at,
    html_url: invitationUrl(hearth, row.id),
  }
}

export type InvitationInput = {
  to: { invitee_id: string; email: null } | { invitee_id: null; email: string }
  role: Invitation['role']
  invited_by: string
  workspace_id: string
  /** Null for an invitation into the workspace itself. */
  repo_id: string | null
}

/**
 * Creates an invitation and mails its link. An invited address may sign up with it. Throws 409
 * `already_exists` while another one is pending, and `limit_reached` after too many in one day.
 */
export function sendInvitation(
  tx: Tx,
  { to, role, invited_by, workspace_id, repo_id }: InvitationInput,
): InvitationRow {
  const target =
    repo_id === null
      ? ({ kind: 'workspace', workspace_id } as const)
      : ({ kind: 'repository', repo_id } as const)
  const pending = findPendingInvitation(tx.db, target, to, tx.now)
  if (pending)
    throw conflict(
      'already_exists',
      'there is an invitation that waits for an answer; revoke it to send another',
      { id: pending.id },
    )
  if (
    countSentInvitations(tx.db, target, to, timestamp(tx.now_ms - DAY)) >= MAX_INVITATIONS_PER_DAY
  ) {
    throw conflict(
      'limit_reached',
      `at most ${MAX_INVITATIONS_PER_DAY} invitations a day can be sent to one person`,
      { limit: MAX_INVITATIONS_PER_DAY },
    )
  }
  const id = typeId('inv', tx.now_ms)
  const expires_at = timestamp(tx.now_ms + INVITATION_LIFETIME_MS)
  const invite_id =
    to.email === null
      ? null
      : permitSignUp(tx, { email: to.email, created_by: invited_by, expires_at })
  insertInvitation(tx.db, {
    id,
    kind: target.kind,
    workspace_id,
    repo_id,
    ...to,
    role,
    invite_id,
    invited_by,
    created_at: tx.now,
    expires_at,
  })
  tx.enqueue(mailInvitation, { id })
  tx.emit(invitationChanged, { id, state: 'pending' })
  return requireRow(tx.db, id)
}

function requireRow(db: Db, id: string): InvitationRow {
  const row = findInvitation(db, id)
  if (!row) throw new TypeError(`there is no invitation ${id}`)
  return row
}

const isOpen = (row: InvitationRow, now: string): boolean =>
  row.state === 'pending' && row.expires_at > now

function requireOpen(row: InvitationRow, now: string): void {
  if (!isOpen(row, now))
    throw conflict(
      'not_open',
      `this invitation is ${row.state === 'pending' ? 'too old' : row.state}`,
      { state: row.state === 'pending' ? 'expired' : row.state },
    )
}

/** Withdraws a pending invitation of a workspace or repository. Throws 404, and 409 `not_open`. */
export function withdrawInvitation(
  tx: Tx,
  id: string,
  target: { workspace_id: string } | { repo_id: string },
): InvitationRow {
  const row = isTypeId(id, 'inv') ? findInvitation(tx.db, id) : null
  const isInTarget =
    row &&
    ('repo_id' in target
      ? row.repo_id === target.repo_id
      : row.kind === 'workspace' && row.workspace_id === target.workspace_id)
  if (!row || !isInTarget) throw notFound(`the invitation ${id}`)
  requireOpen(row, tx.now)
  setInvitationState(tx.db, id, 'withdrawn', null, tx.now)
  tx.emit(invitationChanged, { id, state: 'withdrawn' })
  if (row.invite_id !== null) withdrawSignUp(tx, row.invite_id)
  return requireRow(tx.db, id)
}

/** Withdraws all pending invitations to a repository. */
export function withdrawRepoInvitations(tx: Tx, repo_id: string): InvitationRow[] {
  return listPendingInvitations(tx.db, { kind: 'repository', repo_id }, tx.now, 10_000).map((row) =>
    withdrawInvitation(tx, row.id, { repo_id }),
  )
}

/** The common parts of the operations that answer an invitation. */
export const answerOperation = {
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({ id: Id('inv') }),
  output: Invitation,
}

/**
 * Records the answer of the invited user, found by account or by a confirmed address, and writes
 * the audit entry. Throws 404 for someone else's invitation and 409 `not_open` for one that was
 * answered, withdrawn or expired.
 */
export function answerInvitation(
  tx: Tx,
  caller: UserCaller,
  id: string,
  kind: InvitationRow['kind'],
  state: 'accepted' | 'declined',
): InvitationRow {
  const row = isTypeId(id, 'inv') ? findInvitation(tx.db, id) : null
  const isInvited =
    row &&
    row.kind === kind &&
    (row.invitee_id === caller.id ||
      (row.invitee_id === null &&
        row.email !== null &&
        confirmedAddresses(tx.db, caller.id).includes(row.email)))
  if (!row || !isInvited) throw notFound(`the invitation ${id}`)
  requireOpen(row, tx.now)
  if (row.repo_deleted === 1)
    throw conflict('not_open', 'the repository of this invitation is deleted')
  setInvitationState(tx.db, id, state, caller.id, tx.now)
  tx.emit(invitationChanged, { id, state })
  if (row.invite_id !== null) withdrawSignUp(tx, row.invite_id)
  tx.audit({
    action: `${kind === 'repository' ? 'repo' : 'workspace'}.invitation_${state}`,
    target: { kind: 'invitation', id, name: caller.username },
    workspace_id: row.workspace_id,
    repo_id: row.repo_id,
    data: {
      ...(row.repo_id === null ? {} : { repository: `${row.workspace}/${row.repo_name ?? ''}` }),
      [state === 'accepted' ? 'after' : 'before']: { role: row.role },
    },
  })
  return requireRow(tx.db, id)
}

/** The name of the invited user or address in the audit log. */
export const inviteeName = (hearth: Pick<Hearth, 'db' | 'settings'>, row: InvitationRow): string =>
  row.email ?? actorOf(hearth, row.invitee_id)?.username ?? ''
