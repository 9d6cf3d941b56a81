import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { emailSettings } from './email-record.ts'
import { requireUserRow } from '../passwords/require-password.ts'
import { EmailSettings } from '../schema.ts'

export const getEmailSettings = operation({
  name: 'get_email_settings',
  summary: 'How the addresses of your own account are used, for the page of settings.',
  route: null,
  access: personOnly(),
  input: Type.Object({}),
  output: EmailSettings,

  handler: ({ hearth, db, caller }) => emailSettings(hearth, requireUserRow(db, caller.id)),
})
