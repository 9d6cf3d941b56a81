import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { requireSetupSecret } from './setup-link.ts'

export const checkSetup = operation({
  name: 'check_setup',
  summary:
    'Check the secret of a set-up link. The answer is empty; without a valid secret there is nothing here.',
  route: null,
  access: publicRead(),
  // A missing secret gets the same response as a wrong one, so the page does not reveal that it
  // exists.
  input: Type.Object({ code: Type.Optional(Type.String({ maxLength: 1000 })) }),
  output: Nothing,

  handler: ({ db, now }, { code = '' }) => {
    requireSetupSecret(db, code, now)
    return null
  },
})
