/** Making an account, for the operations and commands that do: setting up, registering. */
import type { Tx } from '#core/write.ts'
import { typeId } from '#lib/typeid.ts'
import { mailConfirmation } from './mail.ts'
import { insertUser } from './store.ts'

export type SignUp = {
  username: string
  email: string
  password_hash: string | null
  /** Whether the address counts as confirmed; otherwise a link is mailed. */
  verified: boolean
  site_admin: boolean
}

/** Adds the person. Gives 422 and 409 for the username. */
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
