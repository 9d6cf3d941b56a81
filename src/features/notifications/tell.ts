/** Tells one person of one thing: on the site, and by mail where they want it. */
import { findEvent } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { userCaller } from '#features/accounts/index.ts'
import type { Timestamp } from '#lib/time.ts'
import { mailNotification } from './mail.ts'
import { MAILED, type Reason } from './reasons.ts'
import { canRead } from './sight.ts'
import { putNotification, type SubjectOf } from './store.ts'
import { settingsOf } from './store-settings.ts'
import type { Plan } from './work.ts'

export type News = {
  readonly about: SubjectOf
  readonly events: readonly string[]
  /** The text that it is about, if there is one. */
  readonly text_id: string | null
  readonly at: Timestamp
  /** What to say in a mail where no event says it. */
  readonly words?: string
}

/** Says nothing to who is not let in, or cannot read the repository. */
export function tell(
  tx: Tx,
  user_id: string,
  reason: Reason,
  { about, events, text_id, at, words }: News,
): void {
  const person = userCaller(tx.db, user_id)
  if (!person || person.suspended) return
  if (about.repo_id !== null && !canRead(tx.hearth, about.repo_id, user_id)) return
  putNotification(tx, user_id, about, { reason, event_id: events.at(-1) ?? null, at })
  // Without a mail server letters become files, for links that somebody waits for; news would fill
  // the disk, and is on the site.
  if (tx.hearth.settings.mail === null) return
  if (
    !person.verified ||
    !MAILED.includes(reason) ||
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

/** Tells some of the people of a plan. */
export function tellSome(tx: Tx, { about, events, text_id }: Plan, people: Plan['people']): void {
  const at = findEvent(tx.db, events.at(-1) ?? '')?.time ?? tx.now
  for (const [user_id, reason] of people) tell(tx, user_id, reason, { about, events, text_id, at })
}
