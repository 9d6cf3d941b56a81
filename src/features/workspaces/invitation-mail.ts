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
  sayTo,
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
    const site = new URL(site_url).host
    const say = sayTo(hearth, to)
    const by = actorOf(hearth, row.invited_by)?.username ?? say('Somebody')
    const values = {
      by,
      site,
      role: row.role,
      what: row.kind === 'workspace' ? row.workspace : `${row.workspace}/${row.repo_name ?? ''}`,
      url: `${site_url}/invite/${row.id}${code === null ? '' : `?code=${code}`}`,
    }
    const invited =
      row.kind === 'workspace'
        ? say('{by} invited you to the workspace {what} on {site},', values)
        : say('{by} invited you to the repository {what} on {site},', values)
    const open =
      row.role === 'owner'
        ? say('as an owner. Open this link to accept or decline:\n{url}\n', values)
        : row.role === 'member'
          ? say('as a member. Open this link to accept or decline:\n{url}\n', values)
          : say(
              'as a collaborator with the role {role}. Open this link to accept or decline:\n{url}\n',
              values,
            )
    await deliverMail(hearth, {
      to,
      kind: 'invitation',
      subject: invited.replace(/[,،]$/, ''),
      text: `${invited}\n${open}\n${
        code === null
          ? ''
          : say('If you have no account there, the link lets you make one with this address.\n')
      }${say('It works for 7 days. If you do not want it, there is nothing to do.\n')}`,
    })
  },
})
