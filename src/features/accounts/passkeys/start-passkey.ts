import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { PasskeyOptions, arePasskeysAvailable, createRegistrationOptions } from './passkeys.ts'
import { requireUserRow } from '../passwords/require-password.ts'

export const startPasskey = operation({
  name: 'start_passkey',
  summary:
    'What the page of settings hands to the browser so that a passkey can be made; null where browsers allow none.',
  route: null,
  access: personOnly(),
  input: Type.Object({}),
  output: Nullable(PasskeyOptions),

  handler: ({ hearth, db, caller }) =>
    arePasskeysAvailable(hearth)
      ? createRegistrationOptions(hearth, requireUserRow(db, caller.id))
      : null,
})
