import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { SecretInput } from '../inputs.ts'
import {
  createAssertionOptions,
  PasskeyOptions,
  arePasskeysAvailable,
} from '../passkeys/passkeys.ts'
import { requirePendingSignIn } from './pending-sign-ins.ts'
import { secondFactorsOf } from '../two-factor/second-factors.ts'

export const getPendingSignIn = operation({
  name: 'get_pending_sign_in',
  summary: 'What a sign-in on the website still needs, by the secret that the first step gave.',
  route: null,
  access: publicRead(),
  input: Type.Object({ pending: SecretInput }),
  output: Type.Object({
    username: Type.String(),
    second_factor: Type.Array(OneOf(['totp', 'passkey', 'recovery'])),
    passkey: Nullable(PasskeyOptions),
  }),

  handler: async ({ hearth, db, now }, { pending }) => {
    const { user } = requirePendingSignIn(db, pending, now)
    const second_factor = secondFactorsOf(db, user.id)
    const passkey =
      second_factor.includes('passkey') && arePasskeysAvailable(hearth)
        ? await createAssertionOptions(hearth, user.id)
        : null
    return { username: user.username, second_factor, passkey }
  },
})
