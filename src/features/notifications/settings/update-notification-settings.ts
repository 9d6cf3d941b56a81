import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { MAILED_REASONS } from '../delivery/reasons.ts'
import { DIGESTS, NotificationSettings, ReasonWord } from '../schema.ts'
import { settingsRecord } from './settings-record.ts'
import { putSettings, settingsOf } from './store-settings.ts'

export const updateNotificationSettings = operation({
  name: 'update_notification_settings',
  summary:
    'Choose for which reasons you get mail, and how often you are mailed what your agents did.',
  route: null,
  access: personOnly({ scope: 'user:write', writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    mail: Type.Optional(
      Type.Array(ReasonWord, {
        maxItems: 50,
        description: 'All reasons that are mailed; replaces those before.',
      }),
    ),
    digest: Type.Optional(OneOf(DIGESTS)),
  }),
  output: NotificationSettings,

  handler: ({ hearth, caller, write }, { mail, digest }) =>
    write((tx) => {
      const now = settingsOf(tx.db, caller.id)
      putSettings(tx, caller.id, {
        silent: mail ? MAILED_REASONS.filter((reason) => !mail.includes(reason)) : now.silent,
        digest: digest ?? now.digest,
      })
      return settingsRecord(hearth, caller.id)
    }),
})
