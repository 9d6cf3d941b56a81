/**
 * Links that end mail of one kind: of one issue or pull request, for one reason, or the digest.
 * They are sealed, so nobody can make one for somebody else, and they work without a sign-in (RFC
 * 8058 section 3.2).
 */
import type { Hearth } from '#core/hearth.ts'
import { findUserById, sealUntil, unsealFresh } from '#features/accounts/index.ts'
import { findRecord } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { DAY } from '#lib/time.ts'
import { WHY, type Reason } from './reasons.ts'
import { canRead } from './sight.ts'

export type Ending =
  | {
      readonly user_id: string
      readonly of: 'record'
      readonly repo_id: string
      readonly number: number
    }
  | { readonly user_id: string; readonly of: 'reason'; readonly reason: Reason }
  | { readonly user_id: string; readonly of: 'digest' }

const PURPOSE = 'unsubscribe'
/** Mail is kept for long; a link in it should do what it says. */
const LIFE_MS = 400 * DAY

export const unsubscribeUrl = (hearth: Hearth, ending: Ending): string =>
  `${hearth.settings.site_url}/notifications/unsubscribe/${sealUntil(hearth, PURPOSE, hearth.clock.now() + LIFE_MS, ending)}`

/** Gives 404 for what is no link of ours, and for one that is too old. */
export function requireEnding(hearth: Hearth, token: string): Ending {
  const ending = unsealFresh<Ending>(hearth, PURPOSE, token)
  if (!ending || !findUserById(hearth.db, ending.user_id)) throw notFound('this link')
  return ending
}

/** In words, after "mail about". A title is not told to who may not read it any more. */
export function endingWords(hearth: Hearth, ending: Ending): string {
  if (ending.of === 'digest') return 'what your agents did'
  if (ending.of === 'reason') return `what you get because ${WHY[ending.reason]}`
  const record = canRead(hearth, ending.repo_id, ending.user_id)
    ? findRecord(hearth.db, ending.repo_id, ending.number)
    : null
  return record ? `#${ending.number} “${record.title}”` : `#${ending.number}`
}
