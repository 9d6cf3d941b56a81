import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import { describeAuthenticator } from './second-factors.ts'
import { findAuthenticator } from '../store/second-factors.ts'

export const getTwoFactorSetup = operation({
  name: 'get_two_factor_setup',
  summary:
    'What an authenticator is set up with, until its first code was shown; null when none is being set up.',
  route: null,
  access: personOnly(),
  input: Type.Object({}),
  output: Nullable(
    Type.Object({
      secret: Type.String(),
      uri: Type.String(),
      picture: Type.Object({ size: Type.Integer(), path: Type.String() }),
    }),
  ),

  handler: ({ hearth, db, caller }) => {
    const row = findAuthenticator(db, caller.id)
    return row && row.confirmed_at === null
      ? describeAuthenticator(hearth, row, caller.username)
      : null
  },
})
