/**
 * Invitations, into a workspace or to a repository: somebody with an account, or whoever reads an
 * address. Those to an address do not say whose it is until that person has answered: asking must
 * not be a way to find out.
 */
import { personOnly } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import { signal } from '#core/events.ts'
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
import { isTypeId, typeId } from '#lib/typeid.ts'
import { mailInvitation } from './invitation-mail.ts'
import {
  countSent,
  findInvitation,
  findPending,
  insertInvitation,
  listPending,
  setAnswered,
  type InvitationRow,
} from './store-invitations.ts'

const LIFE_MS = 7 * DAY
/**
 * More invitations than these to one person or address in a day are refused: they would be
 * somebody's flood of mail.
 */
const MOST_A_DAY = 5

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

/** An invitation was sent, answered or taken back. */
export const invitationChanged = signal(
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

export type Invite = {
  to: { invitee_id: string; email: null } | { invitee_id: null; email: string }
  role: Invitation['role']
  invited_by: string
  workspace_id: string
  /** Null for one into the workspace itself. */
  repo_id: string | null
}

/**
 * Invites and mails the link; an address that is invited may make an account with it. Gives 409
 * `already_exists` while another invitation to the same waits, and `limit_reached` when there were
 * too many of them today.
 */
export function invite(
  tx: Tx,
  { to, role, invited_by, workspace_id, repo_id }: Invite,
): InvitationRow {
  const place =
    repo_id === null
      ? ({ kind: 'workspace', workspace_id } as const)
      : ({ kind: 'repository', repo_id } as const)
  const pending = findPending(tx.db, place, to, tx.now)
  if (pending)
    throw conflict(
      'already_exists',
      'there is an invitation that waits for an answer; revoke it to send another',
      { id: pending.id },
    )
  if (countSent(tx.db, place, to, timestamp(tx.now_ms - DAY)) >= MOST_A_DAY) {
    throw conflict(
      'limit_reached',
      `at most ${MOST_A_DAY} invitations a day can be sent to one person`,
      { limit: MOST_A_DAY },
    )
  }
  const id = typeId('inv', tx.now_ms)
  const expires_at = timestamp(tx.now_ms + LIFE_MS)
  const invite_id =
    to.email === null
      ? null
      : permitSignUp(tx, { email: to.email, created_by: invited_by, expires_at })
  insertInvitation(tx.db, {
    id,
    kind: place.kind,
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
  tx.signal(invitationChanged, { id, state: 'pending' })
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

/**
 * An invitation that can be taken back, of one workspace or repository. Gives 404, and 409
 * `not_open`.
 */
export function withdraw(
  tx: Tx,
  id: string,
  place: { workspace_id: string } | { repo_id: string },
): InvitationRow {
  const row = isTypeId(id, 'inv') ? findInvitation(tx.db, id) : null
  const here =
    row &&
    ('repo_id' in place
      ? row.repo_id === place.repo_id
      : row.kind === 'workspace' && row.workspace_id === place.workspace_id)
  if (!row || !here) throw notFound(`the invitation ${id}`)
  requireOpen(row, tx.now)
  setAnswered(tx.db, id, 'withdrawn', null, tx.now)
  tx.signal(invitationChanged, { id, state: 'withdrawn' })
  if (row.invite_id !== null) withdrawSignUp(tx, row.invite_id)
  return requireRow(tx.db, id)
}

/** Takes back all that wait for an answer, to a repository. */
export function withdrawAll(tx: Tx, repo_id: string): InvitationRow[] {
  return listPending(tx.db, { kind: 'repository', repo_id }, tx.now, 10_000).map((row) =>
    withdraw(tx, row.id, { repo_id }),
  )
}

/** What the operations that answer an invitation have in common. */
export const answering = {
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({ id: Id('inv') }),
  output: Invitation,
}

/**
 * Answers an invitation for the person it is for, by account or by an address that they have
 * confirmed, and notes it in the audit log. Gives 404 for somebody else's, 409 `not_open` for one
 * that is answered, taken back or too old.
 */
export function answer(
  tx: Tx,
  caller: UserCaller,
  id: string,
  kind: InvitationRow['kind'],
  state: 'accepted' | 'declined',
): InvitationRow {
  const row = isTypeId(id, 'inv') ? findInvitation(tx.db, id) : null
  const mine =
    row &&
    row.kind === kind &&
    (row.invitee_id === caller.id ||
      (row.invitee_id === null &&
        row.email !== null &&
        confirmedAddresses(tx.db, caller.id).includes(row.email)))
  if (!row || !mine) throw notFound(`the invitation ${id}`)
  requireOpen(row, tx.now)
  if (row.repo_deleted === 1)
    throw conflict('not_open', 'the repository of this invitation is deleted')
  setAnswered(tx.db, id, state, caller.id, tx.now)
  tx.signal(invitationChanged, { id, state })
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

/** How the audit log names whom an invitation is for. */
export const inviteeName = (hearth: Pick<Hearth, 'db' | 'settings'>, row: InvitationRow): string =>
  row.email ?? actorOf(hearth, row.invitee_id)?.username ?? ''
