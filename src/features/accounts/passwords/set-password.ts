import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { passwords } from '#core/passwords.ts'
import { PasswordInput, requireGoodPassword } from '../inputs.ts'
import { changePassword } from './change-password.ts'
import { requirePassword } from './require-password.ts'

export const setPassword = operation({
  name: 'set_password',
  summary:
    'Change the password of your own account on the website, with the one until now. All other browsers are signed out; answers with how many.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({ current: PasswordInput, password: PasswordInput }),
  output: Type.Object({ ended: Type.Integer() }),

  handler: async ({ hearth, caller, write }, { current, password }) => {
    const user = await requirePassword(hearth, caller.id, current)
    requireGoodPassword(password, user)
    const password_hash = await passwords(hearth).hash(password)
    return write((tx) => ({ ended: changePassword(tx, user, password_hash, caller.sign_in) }))
  },
})
