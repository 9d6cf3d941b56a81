/**
 * Mail about notifications. What it says and who may get it is found out when it is sent, which may
 * be long after the event.
 */
import { job } from '#core/jobs.ts'
import { deliverMail, findUserById, MAIL_RETRY } from '#features/accounts/index.ts'
import { composeLetter, type Letter } from './letter.ts'
import { canRead } from './sight.ts'
import { settingsOf } from './store-settings.ts'
import { findLevel, findRecordSubscription } from './store-subscriptions.ts'
import type { Hearth } from '#core/hearth.ts'

/** Reasons that end with a subscription. */
const FOLLOWING: ReadonlySet<string> = new Set(['author', 'commented', 'subscribed'])

/** Whether the person still wants it, and may read it. */
function isWanted(hearth: Hearth, { user_id, reason, about }: Letter): boolean {
  const { repo_id, number } = about
  if (settingsOf(hearth.db, user_id).silent.includes(reason)) return false
  if (repo_id === null) return true
  if (!canRead(hearth, repo_id, user_id)) return false
  if (reason !== 'agent_waiting' && findLevel(hearth.db, repo_id, user_id)?.level === 'ignored')
    return false
  return (
    number === null ||
    !FOLLOWING.has(reason) ||
    findRecordSubscription(hearth.db, repo_id, number, user_id)?.subscribed !== 0
  )
}

export const mailNotification = job<Letter>({
  kind: 'mail_notification',
  lane: 'mail',
  retry: MAIL_RETRY,
  async run({ hearth, id }, letter) {
    const user = findUserById(hearth.db, letter.user_id)
    if (
      !user ||
      user.verified_at === null ||
      user.suspended_at !== null ||
      !isWanted(hearth, letter)
    )
      return
    const message = composeLetter(hearth, letter, id)
    if (message) await deliverMail(hearth, { ...message, to: user.email })
  },
})
