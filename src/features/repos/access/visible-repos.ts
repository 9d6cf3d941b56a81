/**
 * Which private repositories a caller can see, as conditions for lists, so that a list needs one
 * query instead of one per row.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { listReadableWorkspaceIds } from '#features/workspaces/index.ts'
import type { VisibleRepos } from '../store/repos.ts'
import { listGrantedRepos } from '../store/roles.ts'

/** Returns the private repositories that the caller can see, within the limits of the token. */
export function visibleReposOf(db: Db, caller: Caller): VisibleRepos {
  if (caller.kind === 'anonymous') return { workspaces: [], granted: [], only: null }
  const { token } = caller
  const within = (id: string) => !token?.workspace || token.workspace === id
  if (caller.kind === 'workspace')
    return { workspaces: [caller.id].filter(within), granted: [], only: token?.repos ?? null }
  const person = caller.kind === 'agent' ? caller.owner_id : caller.id
  const granted = listGrantedRepos(db, person).flatMap(({ repo_id, workspace_id }) =>
    within(workspace_id) ? [repo_id] : [],
  )
  return {
    workspaces: listReadableWorkspaceIds(db, person).filter(within),
    granted,
    only: caller.kind === 'agent' ? [caller.repo_id] : (token?.repos ?? null),
  }
}
