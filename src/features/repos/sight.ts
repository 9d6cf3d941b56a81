/**
 * What a caller may see of private repositories, for lists: by rule, so that a list is one question
 * and not one per row.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { listReadable } from '#features/workspaces/index.ts'
import type { Sight } from './store.ts'
import { listGranted } from './store-roles.ts'

/** The private repositories that lie within a caller's rights, after the limits of the token. */
export function sightOf(db: Db, caller: Caller): Sight {
  if (caller.kind === 'anonymous') return { workspaces: [], granted: [], only: null }
  const { token } = caller
  const within = (id: string) => !token?.workspace || token.workspace === id
  if (caller.kind === 'workspace')
    return { workspaces: [caller.id].filter(within), granted: [], only: token?.repos ?? null }
  const person = caller.kind === 'agent' ? caller.owner_id : caller.id
  const granted = listGranted(db, person).flatMap(({ repo_id, workspace_id }) =>
    within(workspace_id) ? [repo_id] : [],
  )
  return {
    workspaces: listReadable(db, person).filter(within),
    granted,
    only: caller.kind === 'agent' ? [caller.repo_id] : (token?.repos ?? null),
  }
}
