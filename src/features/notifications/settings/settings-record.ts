import type { Hearth } from '#core/hearth.ts'
import { findUserById } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { MAILED_REASONS } from '../delivery/reasons.ts'
import type { NotificationSettings } from '../schema.ts'
import { findFeedToken, settingsOf } from './store-settings.ts'

/** The notification settings of a person. */
export function settingsRecord({ db }: Pick<Hearth, 'db'>, user_id: string): NotificationSettings {
  const user = findUserById(db, user_id)
  if (!user) throw notFound('the account')
  const { silent, digest } = settingsOf(db, user_id)
  return {
    mail: MAILED_REASONS.map((reason) => ({ reason, on: !silent.includes(reason) })),
    digest,
    email: user.email,
    verified: user.verified_at !== null,
    feed_token: findFeedToken(db, user_id),
  }
}
