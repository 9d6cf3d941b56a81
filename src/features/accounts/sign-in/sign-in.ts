import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { passwords } from '#core/passwords.ts'
import { findLogin, usablePasswordHash } from './find-login.ts'
import { KnownBrowserInput, PasswordInput } from '../inputs.ts'
import { signInAttempts } from './attempt-limiter.ts'
import { attemptSource } from './attempt-source.ts'
import { NewSignIn } from '../schema.ts'
import { beginSignIn } from './sign-ins.ts'
import { findUserById, setPasswordHash } from '../store/users.ts'

const wrongLogin = () => invalid('password', 'the name or the password is wrong')

/**
 * Unknown names, accounts without a password and wrong passwords get the same message after the
 * same work.
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
    browser: Type.Optional(KnownBrowserInput),
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, origin, signal, write }, { login, password, browser }) => {
    const name = login.trim().toLowerCase()
    const user = findLogin(db, name)
    let outdated = false
    const source = attemptSource(hearth, user?.id ?? null, origin, browser)
    const verify = async (): Promise<boolean> => {
      const verdict = await passwords(hearth).verify(password, usablePasswordHash(hearth, user))
      outdated = verdict.outdated
      return verdict.matches
    }
    const attempts = signInAttempts(hearth)
    const right = await attempts.attempt(user?.id ?? `? ${name}`, verify, { source, signal })
    if (!right || !user) throw wrongLogin()
    const renewed =
      outdated && user.suspended_at === null ? await passwords(hearth).hash(password) : null
    return write((tx) => {
      // If the password changed meanwhile, a sign-in that began with the old one must fail.
      const now = findUserById(tx.db, user.id)
      if (!now || now.password_hash !== user.password_hash) throw wrongLogin()
      const opened = beginSignIn(tx, now, { method: 'password', origin })
      if (renewed !== null) setPasswordHash(tx, user.id, renewed)
      return opened
    })
  },
})
