/**
 * The first account of a forge: a confirmed site administrator with a workspace of their own. It is
 * made in the browser with the one-time link (`setup_forge`), or by a command on the machine
 * itself.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import {
  endSetup,
  isWithoutAccounts,
  makeLink,
  readEmail,
  requireFreeName,
  signUp,
} from '#features/accounts/index.ts'
import { conflict } from '#lib/errors.ts'
import { makeWorkspace } from './workspaces.ts'

export type FirstAccount = {
  username: string
  email: string
  password_hash: string | null
  workspace: string
}

/** Gives 409 `already_exists` when there is an account, 422 and 409 for the names. */
export function makeFirstAccount(
  tx: Tx,
  { username, email, password_hash, workspace }: FirstAccount,
): { id: string; username: string; email: string } {
  if (!isWithoutAccounts(tx.db))
    throw conflict('already_exists', 'this forge has an account already')
  const user = signUp(tx, { username, email, password_hash, verified: true, site_admin: true })
  makeWorkspace(tx, { slug: workspace, owner_id: user.id })
  endSetup(tx)
  return user
}

/**
 * For `hearth setup`: makes the account without a password and gives the link with which its owner
 * sets one.
 */
export async function createFirstAccount(
  hearth: Hearth,
  input: { username: string; email: string; workspace?: string },
): Promise<string> {
  const email = readEmail(input.email)
  const workspace = input.workspace ?? input.username
  requireFreeName(hearth.db, workspace, { field: 'workspace' })
  return writeAs(hearth, null, (tx) =>
    makeLink(
      tx,
      'reset',
      makeFirstAccount(tx, { username: input.username, email, password_hash: null, workspace }),
    ),
  )
}
