/** Creates an account, for set-up, registration and single sign-on. */
import type { Tx } from '#core/write.ts'
import { typeId } from '#core/ids.ts'
import { mailConfirmation } from '../mail/link-mails.ts'
import { insertUser } from '../store/users.ts'

export type SignUp = {
  username: string
  email: string
  password_hash: string | null
  /** Whether the address counts as confirmed. Otherwise a confirmation link is mailed. */
  verified: boolean
  site_admin: boolean
}

/** Inserts the user. Throws 422 and 409 for the username. */
export function signUp(
  tx: Tx,
  { username, email, password_hash, verified, site_admin }: SignUp,
): { id: string; username: string; email: string } {
  const id = typeId('usr', tx.now_ms)
  insertUser(tx, { id, username, email, name: null, password_hash, verified, site_admin })
  tx.audit({
    action: 'user.created',
    target: { kind: 'user', id, name: username },
    data: { after: { email, site_admin } },
  })
  if (!verified) tx.enqueue(mailConfirmation, { user_id: id, email })
  return { id, username, email }
}
