import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { passwords } from '#core/passwords.ts'
import { changePassword } from './change-password.ts'
import { endAccess, removeUnprovenAccess } from './end-access.ts'
import { PasswordInput, requireGoodPassword, SecretInput } from '../inputs.ts'
import { requireMailedLink } from '../mail/mailed-links.ts'
import { requireUserRow } from './require-password.ts'
import { findUserRowByEmail, findUserById, setEmailConfirmed } from '../store/users.ts'

/**
 * The link also proves that the user reads the address, so it confirms the address unless another
 * account has confirmed it meanwhile.
 */
export const resetPassword = operation({
  name: 'reset_password',
  summary:
    'Set a new password by the link that was mailed. Ends all sign-ins, tokens and applications of the account. Answers with the username.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ token: SecretInput, password: PasswordInput }),
  output: Type.Object({ username: Type.String() }),

  handler: async ({ hearth, db, now, write }, { token, password }) => {
    const before = requireMailedLink(db, 'reset', token, now)
    requireGoodPassword(password, {
      username: findUserById(db, before.user_id)?.username ?? '',
      email: before.email,
    })
    const password_hash = await passwords(hearth).hash(password)
    return write((tx) => {
      const proof = requireMailedLink(tx.db, 'reset', token, tx.now)
      const user = requireUserRow(tx.db, proof.user_id)
      changePassword(tx, user, password_hash, null)
      endAccess(tx, user)
      if (!findUserRowByEmail(tx.db, proof.email)) {
        if (user.verified_at === null && user.email === proof.email) removeUnprovenAccess(tx, user)
        setEmailConfirmed(tx.db, proof.user_id, proof.email, tx.now)
      }
      return { username: user.username }
    })
  },
})
