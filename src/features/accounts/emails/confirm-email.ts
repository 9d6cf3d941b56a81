import { publicWrite } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { SecretInput } from '../inputs.ts'
import { requireMailedLink } from '../mail/mailed-links.ts'
import { removeProofs } from '../store/proofs.ts'
import { findUserRowByEmail, findUserById, setEmailConfirmed } from '../store/users.ts'

/**
 * Holding the link proves that the holder reads the mailbox. The caller need not be signed in, and
 * confirming signs nobody in.
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
      const proof = requireMailedLink(tx.db, 'confirm', token, tx.now)
      const owner = findUserRowByEmail(tx.db, proof.email)
      if (owner && owner.id !== proof.user_id) {
        throw new Refusal('conflict', 'this address belongs to another account by now', {
          reason: 'already_exists',
          field: 'token',
        })
      }
      setEmailConfirmed(tx.db, proof.user_id, proof.email, tx.now)
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
