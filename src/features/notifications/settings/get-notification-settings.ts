import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { NotificationSettings } from '../schema.ts'
import { settingsRecord } from './settings-record.ts'

export const getNotificationSettings = operation({
  name: 'get_notification_settings',
  summary: 'What is mailed to you, and whether you have a feed token, for the page of settings.',
  route: null,
  access: personOnly({ scope: 'user:read' }),
  input: Type.Object({}),
  output: NotificationSettings,

  handler: ({ hearth, caller }) => settingsRecord(hearth, caller.id),
})
