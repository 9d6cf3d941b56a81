import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { signInAttempts } from '../sign-in/attempt-limiter.ts'
import { SIGNED_IN_SOURCE } from '../sign-in/attempt-source.ts'
import { RecoveryCodes } from '../schema.ts'
import { updateSecondFactorState, consumeTotpCode } from './second-factors.ts'
import { findAuthenticator, setAuthenticatorConfirmed } from '../store/second-factors.ts'
import type { Tx } from '#core/write.ts'

function confirmAuthenticator(tx: Tx, user_id: string, code: string): RecoveryCodes | null {
  const row = findAuthenticator(tx.db, user_id)
  if (!row || row.confirmed_at !== null)
    throw conflict('not_open', 'no authenticator is being set up')
  if (!consumeTotpCode(tx, row, code)) return null
  setAuthenticatorConfirmed(tx.db, user_id, tx.now)
  return {
    recovery_codes: updateSecondFactorState(tx, user_id, {
      action: 'user.authenticator_added',
      sentence: 'Two-factor sign-in was turned on',
    }),
  }
}

export const enableTwoFactor = operation({
  name: 'enable_two_factor',
  summary:
    'Turn on two-factor sign-in with the first code of an authenticator. Answers with recovery codes, shown once; null when there are some already.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({
    code: Type.String({ minLength: 1, maxLength: 20, description: 'Six digits.' }),
  }),
  output: RecoveryCodes,

  handler: async ({ hearth, caller, signal, write }, { code }) => {
    const outcome: { done: RecoveryCodes | null } = { done: null }
    const confirm = async (): Promise<boolean> => {
      outcome.done = await write((tx) => confirmAuthenticator(tx, caller.id, code))
      return outcome.done !== null
    }
    const source = SIGNED_IN_SOURCE
    await signInAttempts(hearth).attempt(`${caller.id} code`, confirm, { source, signal })
    if (!outcome.done)
      throw invalid('code', 'this code is wrong; check that the clock of the device is right')
    return outcome.done
  },
})
