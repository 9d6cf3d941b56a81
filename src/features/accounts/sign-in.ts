import { publicWrite } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { hashPassword, verifyPassword } from '#lib/password.ts'
import { PasswordInput } from './inputs.ts'
import { guardOf } from './password-guard.ts'
import { NewSignIn, UserAgent } from './schema.ts'
import { startSignIn } from './sign-ins.ts'
import { findConfirmed, findUserById, findUserRow, listClaims, setPassword, type UserRow } from './store.ts'

/**
 * The account that a name or address stands for. An address that nobody confirmed counts while just one account claims it;
 * after that only usernames tell the claims apart.
 */
function accountOf(db: Db, login: string): UserRow | null {
  if (!login.includes('@')) return findUserRow(db, login)
  const confirmed = findConfirmed(db, login)
  if (confirmed) return confirmed
  const [claim, another] = listClaims(db, login, 2)
  return claim && !another ? claim : null
}

/** Unknown names, accounts without a password and wrong passwords get the same words after the same work. */
export const signIn = operation({
  name: 'sign_in',
  summary: 'Sign in on the website with a username or address and a password. Answers with the secret for the cookie.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ login: Type.String({ minLength: 1, maxLength: 300 }), password: PasswordInput, user_agent: UserAgent }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, write }, { login, password, user_agent }) => {
    const name = login.trim().toLowerCase()
    const user = accountOf(db, name)
    let outdated = false
    const right = await guardOf(hearth).attempt(user?.id ?? `? ${name}`, async () => {
      const verdict = await verifyPassword(password, user?.password_hash ?? null)
      outdated = verdict.outdated
      return verdict.matches
    })
    if (!right || !user) throw invalid('password', 'the name or the password is wrong')
    if (user.suspended_at !== null) throw forbidden('suspended', 'this account is suspended')
    const renewed = outdated ? await hashPassword(password) : null
    return write((tx) => {
      // A new password ends what began with the old one, also a sign-in that was on its way.
      if (findUserById(tx.db, user.id)?.password_hash !== user.password_hash) throw invalid('password', 'the name or the password is wrong')
      if (renewed !== null) setPassword(tx, user.id, renewed)
      return startSignIn(tx, user, user_agent)
    })
  },
})
