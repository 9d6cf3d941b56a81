import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { hashPassword } from '#lib/password.ts'
import { PasswordInput, requireGoodPassword, SecretInput } from './inputs.ts'
import { requireProof } from './proofs.ts'
import { removeProofs } from './store-proofs.ts'
import { removeSignInsOf } from './store-sign-ins.ts'
import { findConfirmed, findUserById, setConfirmed, setPassword } from './store.ts'

/** The link also proves that the address is read, so it confirms it, unless the address became somebody else's meanwhile. */
export const resetPassword = operation({
  name: 'reset_password',
  summary: 'Set a new password by the link that was mailed, and sign the account out everywhere. Answers with the username.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ token: SecretInput, password: PasswordInput }),
  output: Type.Object({ username: Type.String() }),

  handler: async ({ db, now, write }, { token, password }) => {
    const before = requireProof(db, 'reset', token, now)
    requireGoodPassword(password, { username: findUserById(db, before.user_id)?.username ?? '', email: before.email })
    const password_hash = await hashPassword(password)
    return write((tx) => {
      const proof = requireProof(tx.db, 'reset', token, tx.now)
      setPassword(tx, proof.user_id, password_hash)
      removeProofs(tx.db, 'reset', proof.user_id, null)
      removeSignInsOf(tx.db, proof.user_id)
      if (!findConfirmed(tx.db, proof.email)) setConfirmed(tx.db, proof.user_id, proof.email, tx.now)
      return { username: findUserById(tx.db, proof.user_id)?.username ?? '' }
    })
  },
})
