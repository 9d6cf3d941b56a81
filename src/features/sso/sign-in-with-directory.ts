import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  findLogin,
  findUserById,
  guardOf,
  listIdentities,
  NewSignIn,
  openSignIn,
  PasswordInput,
  usablePassword,
  type UserRow,
} from '#features/accounts/index.ts'
import { randomToken } from '#lib/hash.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { verifyPassword } from '#lib/password.ts'
import { findAccount } from './find-account.ts'
import { followGroups } from './follow-groups.ts'
import type { Known } from './known.ts'
import { checkDirectory } from './ldap.ts'

const wrong = () => invalid('password', 'the name or the password is wrong')

/**
 * A password of this site counts first, so that its administrators get in while the directory is
 * out of order; their passwords are never sent there. Everything that fails costs the same: one
 * check here and one there.
 */
export const signInWithDirectory = operation({
  name: 'sign_in_with_directory',
  summary:
    'Sign in on the website with a name and a password of this site or of its LDAP directory. Answers with the secret for the cookie, and what is needed besides.',
  route: null,
  access: publicWrite(),
  input: Type.Object({
    login: Type.String({ minLength: 1, maxLength: 300 }),
    password: PasswordInput,
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, origin, write }, { login, password }) => {
    const directory = hearth.settings.sso.ldap
    if (directory === null) throw new Refusal('not_available', 'there is no directory')
    const name = login.trim().toLowerCase()
    const user = findLogin(db, name)
    const found: { local: UserRow | null; known: Known | null } = { local: null, known: null }
    await guardOf(hearth).attempt(user?.id ?? `? ${name}`, async () => {
      const { matches } = await verifyPassword(password, usablePassword(hearth, user))
      if (matches && user) found.local = user
      else if (user && keepsPassword(user, listIdentities(db, user.id).length > 0))
        await checkDirectory(hearth, directory, randomToken(9), randomToken())
      else found.known = await checkDirectory(hearth, directory, login.trim(), password)
      return found.local !== null || found.known !== null
    })
    const { local, known } = found
    return write((tx) => {
      if (local) {
        const now = findUserById(tx.db, local.id)
        if (!now || now.password_hash !== local.password_hash) throw wrong()
        return openSignIn(tx, now, { method: 'password', origin })
      }
      if (!known) throw wrong()
      const account = findAccount(tx, directory, known, null)
      const opened = openSignIn(tx, account, { method: 'sso', origin })
      followGroups(tx, directory, account, known.groups)
      return opened
    })
  },
})

/** Whether the typed password is this account's own business alone. */
const keepsPassword = (user: UserRow, linked: boolean): boolean =>
  user.site_admin === 1 && user.password_hash !== null && !linked
