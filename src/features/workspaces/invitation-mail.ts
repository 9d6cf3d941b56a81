/**
 * The mail of an invitation. The job creates it, because the link to an address contains the
 * permission to sign up.
 */
import { job } from '#core/jobs.ts'
import {
  actorOf,
  deliverMail,
  findUserById,
  MAIL_RETRY_DELAYS,
  findSignUpCode,
} from '#features/accounts/index.ts'
import { timestamp } from '#lib/time.ts'
import { findInvitation } from './store-invitations.ts'

export const mailInvitation = job<{ id: string }>({
  kind: 'mail_invitation',
  retry: MAIL_RETRY_DELAYS,
  async run({ hearth }, { id }) {
    const row = findInvitation(hearth.db, id)
    const now = timestamp(hearth.clock.now())
    if (row?.state !== 'pending' || row.expires_at <= now) return
    const to =
      row.email ??
      (row.invitee_id === null ? null : (findUserById(hearth.db, row.invitee_id)?.email ?? null))
    if (to === null) return
    const code = row.invite_id === null ? null : findSignUpCode(hearth.db, row.invite_id, now)
    const { site_url } = hearth.settings
    const { host } = new URL(site_url)
    const by = actorOf(hearth, row.invited_by)?.username ?? 'Somebody'
    const what =
      row.kind === 'workspace'
        ? `the workspace ${row.workspace}`
        : `the repository ${row.workspace}/${row.repo_name ?? ''}`
    const asWhat =
      row.role === 'owner'
        ? 'an owner'
        : row.role === 'member'
          ? 'a member'
          : `a collaborator with the role ${row.role}`
    await deliverMail(hearth, {
      to,
      kind: 'invitation',
      subject: `${by} invited you to ${what} on ${host}`,
      text: `${by} invited you to ${what} on ${host},
as ${asWhat}. Open this link to accept or decline:
${site_url}/invite/${row.id}${code === null ? '' : `?code=${code}`}

${code === null ? '' : 'If you have no account there, the link lets you make one with this address.\n'}It works for 7 days. If you do not want it, there is nothing to do.
`,
    })
  },
})
