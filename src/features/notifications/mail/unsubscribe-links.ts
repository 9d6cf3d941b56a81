/**
 * Unsubscribe links for one kind of mail: of one issue or pull request, for one reason, or the
 * digest. They are sealed, so they cannot be forged, and they work without a sign-in (RFC 8058,
 * section 3.2).
 */
import type { Hearth } from '#core/hearth.ts'
import { findUserById, sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { findRecord } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'
import { REASON_TEXTS, type Reason } from '../delivery/reasons.ts'
import { canRead } from '../delivery/visibility.ts'

export type UnsubscribeTarget =
  | {
      readonly user_id: string
      readonly of: 'record'
      readonly repo_id: string
      readonly number: number
    }
  | { readonly user_id: string; readonly of: 'reason'; readonly reason: Reason }
  | { readonly user_id: string; readonly of: 'digest' }

const PURPOSE = 'unsubscribe'
/** Links live this long, because people keep mail. */
const LIFETIME_MS = 400 * DAY

export const unsubscribeUrl = (hearth: Hearth, ending: UnsubscribeTarget): string =>
  `${hearth.settings.site_url}/notifications/unsubscribe/${sealUntil(hearth, PURPOSE, hearth.clock.now() + LIFETIME_MS, ending)}`

/** Opens a link. Throws 404 for an invalid or expired one. */
export function requireUnsubscribeTarget(hearth: Hearth, token: string): UnsubscribeTarget {
  const ending = unsealFresh<UnsubscribeTarget>(hearth, PURPOSE, token)
  if (!ending || !findUserById(hearth.db, ending.user_id)) throw notFound('this link')
  return ending
}

/**
 * What the link ends, after "mail about". The title is left out when the person may not read it any
 * more.
 */
export function unsubscribeText(hearth: Hearth, ending: UnsubscribeTarget): string {
  if (ending.of === 'digest') return 'what your agents did'
  if (ending.of === 'reason') return `what you get because ${REASON_TEXTS[ending.reason]}`
  const record = canRead(hearth, ending.repo_id, ending.user_id)
    ? findRecord(hearth.db, ending.repo_id, ending.number)
    : null
  return record ? `#${ending.number} “${record.title}”` : `#${ending.number}`
}
