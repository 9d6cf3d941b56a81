import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { createAssertionOptions, PasskeyOptions, arePasskeysAvailable } from './passkeys.ts'

export const startPasskeySignIn = operation({
  name: 'start_passkey_sign_in',
  summary:
    'What the sign-in page hands to the browser so that a passkey can be shown; null where browsers allow none.',
  route: null,
  access: publicRead(),
  input: Type.Object({}),
  output: Nullable(PasskeyOptions),

  handler: ({ hearth }) =>
    arePasskeysAvailable(hearth) ? createAssertionOptions(hearth, null) : null,
})
