import { handler } from '#core/events.ts'
import { accessEnded } from '#features/accounts/index.ts'
import { removeFeedToken } from '../settings/store-settings.ts'

/** The feed token of a user reads private feeds, so it ends with a password reset. */
export const endFeeds = handler(
  'feeds end with a password reset',
  accessEnded,
  (tx, { user_id }) => {
    removeFeedToken(tx, user_id)
  },
)
