import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { SecretInput } from './inputs.ts'
import { assertionOptions, PasskeyOptions, passkeysPossible } from './passkeys.ts'
import { requirePending } from './pending-sign-ins.ts'
import { secondFactorsOf } from './second-factors.ts'

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
    const { user } = requirePending(db, pending, now)
    const second_factor = secondFactorsOf(db, user.id)
    const passkey =
      second_factor.includes('passkey') && passkeysPossible(hearth)
        ? await assertionOptions(hearth, user.id)
        : null
    return { username: user.username, second_factor, passkey }
  },
})
