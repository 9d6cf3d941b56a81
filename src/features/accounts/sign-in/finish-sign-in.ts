import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { KnownBrowserInput, SecretInput } from '../inputs.ts'
import { sendSecurityNotice } from '../mail/security-notices.ts'
import { checkAssertion, passkeyResponse } from '../passkeys/passkeys.ts'
import { signInAttempts } from './attempt-limiter.ts'
import { attemptSource } from './attempt-source.ts'
import { requirePendingSignIn } from './pending-sign-ins.ts'
import { NewSignIn } from '../schema.ts'
import { consumeCode } from '../two-factor/second-factors.ts'
import { createSignIn } from './sign-ins.ts'
import { setPasskeyUsed } from '../store/second-factors.ts'
import { removePendingSignIn, consumeAttempt } from '../store/pending-sign-ins.ts'

/**
 * The second step of a sign-in. Wrong codes are delayed like wrong passwords. After five wrong
 * codes the user must repeat the first step and gets a mail, because someone else knows their
 * password.
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
    passkey: Type.Optional(Type.Object(passkeyResponse)),
    browser: Type.Optional(KnownBrowserInput),
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, now, origin, signal, write }, input) => {
    const { pending, code = '', passkey, browser } = input
    const { user } = requirePendingSignIn(db, pending, now)
    const assertion = passkey ? await checkAssertion(hearth, user.id, passkey) : null
    if (!assertion && code.trim() === '')
      throw invalid('code', 'type the code that your authenticator shows, or a recovery code')
    const outcome: { done: NewSignIn | null } = { done: null }
    const complete = async (): Promise<boolean> => {
      outcome.done = await write((tx) => {
        const { row, user: person } = requirePendingSignIn(tx.db, pending, tx.now)
        if (person.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
        const by = assertion ? 'passkey' : consumeCode(tx, person.id, code)
        if (by === null) {
          if (consumeAttempt(tx.db, row.secret_hash) === 0)
            sendSecurityNotice(tx, person, 'Somebody had your password but not your second factor')
          return null
        }
        if (assertion) setPasskeyUsed(tx.db, assertion.passkey.id, assertion.counter, tx.now)
        if (by === 'recovery') sendSecurityNotice(tx, person, 'A recovery code was used to sign in')
        removePendingSignIn(tx.db, row.secret_hash)
        return createSignIn(tx, person, { method: row.method, origin })
      })
      return outcome.done !== null
    }
    const source = attemptSource(hearth, user.id, origin, browser)
    await signInAttempts(hearth).attempt(`${user.id} code`, complete, { source, signal })
    if (outcome.done) return outcome.done
    // When no attempts are left this throws, and the user starts over with the password.
    requirePendingSignIn(db, pending, now)
    throw invalid('code', 'this code is wrong, or was used already')
  },
})
