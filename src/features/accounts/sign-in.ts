import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { hashPassword, verifyPassword } from '#lib/password.ts'
import { findLogin, usablePassword } from './find-login.ts'
import { PasswordInput } from './inputs.ts'
import { guardOf } from './password-guard.ts'
import { NewSignIn } from './schema.ts'
import { openSignIn } from './sign-ins.ts'
import { findUserById, setPassword } from './store.ts'

const wrong = () => invalid('password', 'the name or the password is wrong')

/**
 * Unknown names, accounts without a password and wrong passwords get the same words after the same
 * work.
 */
export const signIn = operation({
  name: 'sign_in',
  summary:
    'Sign in on the website with a username or address and a password. Answers with the secret for the cookie, and what is needed besides.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    login: Type.String({ minLength: 1, maxLength: 300 }),
    password: PasswordInput,
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, origin, write }, { login, password }) => {
    const name = login.trim().toLowerCase()
    const user = findLogin(db, name)
    let outdated = false
    const right = await guardOf(hearth).attempt(user?.id ?? `? ${name}`, async () => {
      const verdict = await verifyPassword(password, usablePassword(hearth, user))
      outdated = verdict.outdated
      return verdict.matches
    })
    if (!right || !user) throw wrong()
    const renewed = outdated && user.suspended_at === null ? await hashPassword(password) : null
    return write((tx) => {
      // A new password ends what began with the old one, also a sign-in that was on its way.
      const now = findUserById(tx.db, user.id)
      if (!now || now.password_hash !== user.password_hash) throw wrong()
      const opened = openSignIn(tx, now, { method: 'password', origin })
      if (renewed !== null) setPassword(tx, user.id, renewed)
      return opened
    })
  },
})
