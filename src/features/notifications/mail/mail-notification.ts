/**
 * Sends mail about notifications. Its text and its permission are determined when it is sent, which
 * may be long after the event.
 */
import { job } from '#core/jobs.ts'
import { deliverMail, findUserById, MAIL_RETRY_DELAYS, sayTo } from '#features/accounts/index.ts'
import { composeMail, type NotificationMail } from './compose-mail.ts'
import { canRead } from '../delivery/visibility.ts'
import { settingsOf } from '../settings/store-settings.ts'
import { findLevel, findRecordSubscription } from '../subscriptions/store-subscriptions.ts'
import type { Hearth } from '#core/hearth.ts'

/** Reasons that end when the person unsubscribes. */
const SUBSCRIBED_REASONS: ReadonlySet<string> = new Set(['author', 'commented', 'subscribed'])

/** Whether the person still wants the mail and may read its subject. */
function isWanted(hearth: Hearth, { user_id, reason, about }: NotificationMail): boolean {
  const { repo_id, number } = about
  if (settingsOf(hearth.db, user_id).silent.includes(reason)) return false
  if (repo_id === null) return true
  if (!canRead(hearth, repo_id, user_id)) return false
  if (reason !== 'agent_waiting' && findLevel(hearth.db, repo_id, user_id)?.level === 'ignored')
    return false
  return (
    number === null ||
    !SUBSCRIBED_REASONS.has(reason) ||
    findRecordSubscription(hearth.db, repo_id, number, user_id)?.subscribed !== 0
  )
}

export const mailNotification = job<NotificationMail>({
  kind: 'mail_notification',
  queue: 'mail',
  retry: MAIL_RETRY_DELAYS,
  async run({ hearth, id }, mail) {
    const user = findUserById(hearth.db, mail.user_id)
    if (!user || user.verified_at === null || user.suspended_at !== null || !isWanted(hearth, mail))
      return
    const message = composeMail(hearth, mail, id, sayTo(hearth, user.email))
    if (message) await deliverMail(hearth, { ...message, to: user.email })
  },
})
