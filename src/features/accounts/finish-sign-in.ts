import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { SecretInput } from './inputs.ts'
import { tell } from './notices.ts'
import { checkAssertion, passkeyAnswer } from './passkeys.ts'
import { guardOf } from './password-guard.ts'
import { requirePending } from './pending-sign-ins.ts'
import { NewSignIn } from './schema.ts'
import { takeCode } from './second-factors.ts'
import { startSignIn } from './sign-ins.ts'
import { setPasskeyUsed } from './store-second-factors.ts'
import { removePendingSignIn, takeTry } from './store-pending-sign-ins.ts'

/**
 * The second step of signing in. Wrong codes are slowed as wrong passwords are, and after a few the
 * first step has to be done again; the person is told then, because somebody knows their password.
 */
export const finishSignIn = operation({
  name: 'finish_sign_in',
  summary:
    'Complete a sign-in on the website with a code of the authenticator, a recovery code or a passkey. Answers with the secret for the cookie.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    pending: SecretInput,
    code: Type.Optional(
      Type.String({ maxLength: 100, description: 'Six digits, or a recovery code.' }),
    ),
    passkey: Type.Optional(Type.Object(passkeyAnswer)),
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, now, origin, write }, { pending, code = '', passkey }) => {
    const { user } = requirePending(db, pending, now)
    const shown = passkey ? await checkAssertion(hearth, user.id, passkey) : null
    if (!shown && code.trim() === '')
      throw invalid('code', 'type the code that your authenticator shows, or a recovery code')
    const outcome: { done: NewSignIn | null } = { done: null }
    await guardOf(hearth).attempt(`${user.id} code`, async () => {
      outcome.done = await write((tx) => {
        const { row, user: person } = requirePending(tx.db, pending, tx.now)
        if (person.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
        const by = shown ? 'passkey' : takeCode(tx, person.id, code)
        if (by === null) {
          if (takeTry(tx.db, row.secret_hash) === 0)
            tell(tx, person, 'Somebody had your password but not your second factor')
          return null
        }
        if (shown) setPasskeyUsed(tx.db, shown.passkey.id, shown.counter, tx.now)
        if (by === 'recovery') tell(tx, person, 'A recovery code was used to sign in')
        removePendingSignIn(tx.db, row.secret_hash)
        return startSignIn(tx, person, { method: row.method, origin })
      })
      return outcome.done !== null
    })
    if (outcome.done) return outcome.done
    // After the last try it is the first step's turn again.
    requirePending(db, pending, now)
    throw invalid('code', 'this code is wrong, or was used already')
  },
})
