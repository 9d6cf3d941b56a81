/** Notifies one person: on the site, and by mail where they want it. */
import { findEvent } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { userCaller } from '#features/accounts/index.ts'
import type { Timestamp } from '#lib/time.ts'
import { mailNotification } from '../mail/mail-notification.ts'
import { MAILED_REASONS, type Reason } from './reasons.ts'
import { canRead } from './visibility.ts'
import { putNotification, type SubjectOf } from '../store.ts'
import { settingsOf } from '../settings/store-settings.ts'
import type { Plan } from './work.ts'

export type PersonNotification = {
  readonly about: SubjectOf
  readonly events: readonly string[]
  /** The text that the notification is about, if any. */
  readonly text_id: string | null
  readonly at: Timestamp
  /** The text of a mail about something without an event. */
  readonly words?: string
}

/** Notifies a person, unless they are suspended or cannot read the repository. */
export function notifyPerson(
  tx: Tx,
  user_id: string,
  reason: Reason,
  { about, events, text_id, at, words }: PersonNotification,
): void {
  const person = userCaller(tx.db, user_id)
  if (!person || person.suspended) return
  if (about.repo_id !== null && !canRead(tx.hearth, about.repo_id, user_id)) return
  putNotification(tx, user_id, about, { reason, event_id: events.at(-1) ?? null, at })
  if (
    !person.verified ||
    !MAILED_REASONS.includes(reason) ||
    settingsOf(tx.db, user_id).silent.includes(reason)
  )
    return
  tx.enqueue(mailNotification, {
    user_id,
    reason,
    about,
    events,
    text_id,
    ...(words === undefined ? {} : { words }),
  })
}

/** Notifies a batch of the people of a plan. */
export function notifySome(tx: Tx, { about, events, text_id }: Plan, people: Plan['people']): void {
  const at = findEvent(tx.db, events.at(-1) ?? '')?.time ?? tx.now
  for (const [user_id, reason] of people)
    notifyPerson(tx, user_id, reason, { about, events, text_id, at })
}
