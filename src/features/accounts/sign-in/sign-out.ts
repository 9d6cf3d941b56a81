import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { removeSignIn } from '../store/sign-ins.ts'

export const signOut = operation({
  name: 'sign_out',
  summary: 'End the sign-in of this browser. The answer is empty, also when there was none.',
  route: null,
  access: publicWrite(),
  input: Type.Object({}),
  output: Nothing,

  handler: async ({ caller, write }) => {
    const id = caller.kind === 'user' ? caller.sign_in : null
    if (id !== null) await write((tx) => removeSignIn(tx.db, id))
    return null
  },
})
