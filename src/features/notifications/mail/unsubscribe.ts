import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { findRecord } from '#features/issues/index.ts'
import { settingsOf, putSettings } from '../settings/store-settings.ts'
import { putRecordSubscription } from '../subscriptions/store-subscriptions.ts'
import { unsubscribeText, requireUnsubscribeTarget } from './unsubscribe-links.ts'

/**
 * Unsubscribes by a link from a mail. Mail programs call it as well (RFC 8058), so the sealed link
 * is the only credential.
 */
export const unsubscribe = operation({
  name: 'unsubscribe',
  summary:
    'End the mail that a link at the end of a mail stands for; without effect when it has ended.',
  route: null,
  access: publicWrite(),
  annotations: { idempotent: true },
  input: Type.Object({ token: Type.String({ maxLength: 2_000 }) }),
  output: Type.Object({ what: Type.String() }),

  handler: ({ hearth, write }, { token }) => {
    const ending = requireUnsubscribeTarget(hearth, token)
    return write((tx) => {
      const { silent, digest } = settingsOf(tx.db, ending.user_id)
      if (ending.of === 'digest') putSettings(tx, ending.user_id, { silent, digest: 'off' })
      else if (ending.of === 'reason')
        putSettings(tx, ending.user_id, {
          silent: [...new Set([...silent, ending.reason])],
          digest,
        })
      else if (findRecord(tx.db, ending.repo_id, ending.number))
        putRecordSubscription(tx, ending.repo_id, ending.number, ending.user_id, false)
      return { what: unsubscribeText(hearth, ending) }
    })
  },
})
