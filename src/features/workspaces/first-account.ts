/**
 * The first account of a forge: a confirmed site administrator with a workspace. It is created in
 * the browser with the one-time link (`setup_forge`) or by a command on the machine.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import {
  removeSetupLink,
  isWithoutAccounts,
  createMailedLink,
  readEmail,
  requireFreeName,
  signUp,
} from '#features/accounts/index.ts'
import { conflict } from '#lib/errors.ts'
import { addWorkspace } from './workspaces.ts'

export type FirstAccount = {
  username: string
  email: string
  password_hash: string | null
  workspace: string
}

/** Throws 409 `already_exists` when an account exists, and 422 or 409 for the names. */
export function insertFirstAccount(
  tx: Tx,
  { username, email, password_hash, workspace }: FirstAccount,
): { id: string; username: string; email: string } {
  if (!isWithoutAccounts(tx.db))
    throw conflict('already_exists', 'this forge has an account already')
  const user = signUp(tx, { username, email, password_hash, verified: true, site_admin: true })
  addWorkspace(tx, { slug: workspace, owner_id: user.id })
  removeSetupLink(tx)
  return user
}

/**
 * For `hearth setup`: creates the account without a password and returns the link with which its
 * owner sets one.
 */
export async function createFirstAccount(
  hearth: Hearth,
  input: { username: string; email: string; workspace?: string },
): Promise<string> {
  const email = readEmail(input.email)
  const workspace = input.workspace ?? input.username
  requireFreeName(hearth.db, workspace, { field: 'workspace' })
  return writeAs(hearth, null, (tx) =>
    createMailedLink(
      tx,
      'reset',
      insertFirstAccount(tx, { username: input.username, email, password_hash: null, workspace }),
    ),
  )
}
