import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  findLogin,
  findUserById,
  attemptSource,
  KnownBrowserInput,
  signInAttempts,
  listIdentities,
  NewSignIn,
  beginSignIn,
  PasswordInput,
  usablePasswordHash,
  type UserRow,
} from '#features/accounts/index.ts'
import { randomToken } from '#lib/hash.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { passwords } from '#core/passwords.ts'
import { findOrCreateAccount } from './find-or-create-account.ts'
import { syncGroupMemberships } from './sync-group-memberships.ts'
import type { ProviderIdentity } from './provider-identity.ts'
import { checkDirectory } from './ldap.ts'

const wrongLogin = () => invalid('password', 'the name or the password is wrong')

/**
 * A local password is checked first, so that administrators can sign in while the directory is
 * down. Their passwords are never sent to the directory. Every failure costs the same: one local
 * check and one at the directory.
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
    browser: Type.Optional(KnownBrowserInput),
  }),
  output: NewSignIn,
  secretAnswer: true,

  handler: async ({ hearth, db, origin, signal, write }, input) => {
    const { login, password, browser } = input
    const directory = hearth.settings.sso.ldap
    if (directory === null) throw new Refusal('not_available', 'there is no directory')
    const name = login.trim().toLowerCase()
    const user = findLogin(db, name)
    const found: { local: UserRow | null; known: ProviderIdentity | null } = {
      local: null,
      known: null,
    }
    const check = async (): Promise<boolean> => {
      const { matches } = await passwords(hearth).verify(password, usablePasswordHash(hearth, user))
      if (matches && user) found.local = user
      else if (user && isLocalOnly(user, listIdentities(db, user.id).length > 0))
        await checkDirectory(hearth, directory, randomToken(9), randomToken())
      else found.known = await checkDirectory(hearth, directory, login.trim(), password)
      return found.local !== null || found.known !== null
    }
    const source = attemptSource(hearth, user?.id ?? null, origin, browser)
    const attempts = signInAttempts(hearth)
    await attempts.attempt(user?.id ?? `? ${name}`, check, { source, signal })
    const { local, known: identity } = found
    return write((tx) => {
      if (local) {
        const now = findUserById(tx.db, local.id)
        if (!now || now.password_hash !== local.password_hash) throw wrongLogin()
        return beginSignIn(tx, now, { method: 'password', origin })
      }
      if (!identity) throw wrongLogin()
      const account = findOrCreateAccount(tx, directory, identity, null)
      const opened = beginSignIn(tx, account, { method: 'sso', origin })
      syncGroupMemberships(tx, directory, account, identity.groups)
      return opened
    })
  },
})

/**
 * Whether an account signs in with its local password only: an administrator without linked
 * identities.
 */
const isLocalOnly = (user: UserRow, linked: boolean): boolean =>
  user.site_admin === 1 && user.password_hash !== null && !linked
