import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { hashPassword } from '#lib/password.ts'
import { changePassword } from './change-password.ts'
import { PasswordInput, requireGoodPassword, SecretInput } from './inputs.ts'
import { requireProof } from './proofs.ts'
import { requireUserRow } from './require-password.ts'
import { findConfirmed, findUserById, setConfirmed } from './store.ts'

/**
 * The link also proves that the address is read, so it confirms it, unless the address became
 * somebody else's meanwhile.
 */
export const resetPassword = operation({
  name: 'reset_password',
  summary:
    'Set a new password by the link that was mailed, and sign the account out everywhere. Answers with the username.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ token: SecretInput, password: PasswordInput }),
  output: Type.Object({ username: Type.String() }),

  handler: async ({ db, now, write }, { token, password }) => {
    const before = requireProof(db, 'reset', token, now)
    requireGoodPassword(password, {
      username: findUserById(db, before.user_id)?.username ?? '',
      email: before.email,
    })
    const password_hash = await hashPassword(password)
    return write((tx) => {
      const proof = requireProof(tx.db, 'reset', token, tx.now)
      const user = requireUserRow(tx.db, proof.user_id)
      changePassword(tx, user, password_hash, null)
      if (!findConfirmed(tx.db, proof.email))
        setConfirmed(tx.db, proof.user_id, proof.email, tx.now)
      return { username: user.username }
    })
  },
})
