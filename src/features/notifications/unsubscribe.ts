import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { findRecord } from '#features/issues/index.ts'
import { settingsOf, putSettings } from './store-settings.ts'
import { putRecordSubscription } from './store-subscriptions.ts'
import { endingWords, requireEnding } from './unsubscribing.ts'

/**
 * Called by mail programs as well (RFC 8058): the link is the whole of the right, so it takes no
 * sign-in.
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
    const ending = requireEnding(hearth, token)
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
      return { what: endingWords(hearth, ending) }
    })
  },
})
