/**
 * Invitations as notifications. Their mail is sent elsewhere, because it also goes to people
 * without an account.
 */
import type { Tx } from '#core/write.ts'
import { actorOf, findUserByEmail } from '#features/accounts/index.ts'
import { findInvitation } from '#features/workspaces/index.ts'
import { settleSubject } from '../store.ts'
import { notifyPerson } from './notify-person.ts'

export function notifyInvitation(tx: Tx, id: string, state: string): void {
  const subject = `invitation ${id}`
  if (state !== 'pending') return settleSubject(tx, subject)
  const row = findInvitation(tx.db, id)
  const user_id =
    row &&
    (row.invitee_id ??
      (row.email === null ? null : (findUserByEmail(tx.db, row.email)?.id ?? null)))
  if (!row || user_id === null || user_id === row.invited_by) return
  const by = actorOf(tx.hearth, row.invited_by)?.username ?? 'Somebody'
  const place = row.kind === 'workspace' ? row.workspace : `${row.workspace}/${row.repo_name ?? ''}`
  // The notification names no repository, because the invited person may not see it yet.
  const about = {
    repo_id: null,
    subject,
    kind: 'invitation',
    number: null,
    subject_id: id,
    title: `${by} invited you to ${place}`,
    url: `/invite/${id}`,
  }
  notifyPerson(tx, user_id, 'invitation', { about, events: [], text_id: null, at: tx.now })
}
