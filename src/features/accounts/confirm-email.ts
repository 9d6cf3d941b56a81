import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { SecretInput } from './inputs.ts'
import { requireProof } from './proofs.ts'
import { removeProofs } from './store-proofs.ts'
import { findConfirmed, findUserById, setConfirmed } from './store.ts'

/**
 * Whoever holds the link reads the address; they need not be signed in, and are not signed in by
 * it.
 */
export const confirmEmail = operation({
  name: 'confirm_email',
  summary:
    'Confirm an address by the link that was mailed to it. Answers with the account and the address.',
  route: null,
  access: publicWrite(),
  input: Type.Object({ token: SecretInput }),
  output: Type.Object({ username: Type.String(), email: Type.String() }),

  handler: ({ write }, { token }) =>
    write((tx) => {
      const proof = requireProof(tx.db, 'confirm', token, tx.now)
      const owner = findConfirmed(tx.db, proof.email)
      if (owner && owner.id !== proof.user_id) {
        throw new Refusal('conflict', 'this address belongs to another account by now', {
          reason: 'already_exists',
          field: 'token',
        })
      }
      setConfirmed(tx.db, proof.user_id, proof.email, tx.now)
      removeProofs(tx.db, 'confirm', proof.user_id, proof.email)
      const username = findUserById(tx.db, proof.user_id)?.username ?? ''
      tx.audit({
        action: 'user.email_confirmed',
        target: { kind: 'user', id: proof.user_id, name: username },
        data: { email: proof.email },
      })
      return { username, email: proof.email }
    }),
})
