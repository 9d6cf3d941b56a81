/** Which packages of a workspace a caller can see, as a condition for lists. */
import type { WorkspaceFacts } from '#core/access.ts'
import { reaches, type Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { factsOf, repoById, visibleReposOf } from '#features/repos/index.ts'
import type { PackageFilter } from './store.ts'
import { listReposWithDeletedPackages } from './store-lists.ts'

type Clause = PackageFilter['visible']

const NOTHING: Clause = { sql: '0', params: [] }
const EVERYTHING: Clause = { sql: '1', params: [] }

const hasWholeWorkspace = (workspace: WorkspaceFacts, caller: Caller): boolean =>
  !workspace.two_factor_missing &&
  (workspace.role === 'owner' ||
    (caller.kind === 'workspace' && workspace.role !== null && caller.token.repos === null))

/** The grants of the caller's own that count within the limits of the token. */
function ownGrants(workspace: WorkspaceFacts, caller: Caller, roles: readonly string[]): Clause {
  if (caller.kind === 'anonymous' || caller.kind === 'agent') return NOTHING
  const { token } = caller
  const isOutside = token?.workspace != null && token.workspace !== workspace.id
  const isMember = workspace.role !== null && !workspace.two_factor_missing
  if (isOutside || token?.repos != null || !isMember) return NOTHING
  return {
    sql: `(EXISTS (SELECT 1 FROM package_roles g WHERE g.package_id = p.id AND g.actor_id = ?
      AND g.role IN (SELECT value FROM json_each(?))) OR EXISTS (
      SELECT 1 FROM package_team_roles g JOIN team_lines l ON l.ancestor_id = g.team_id
      JOIN team_members m ON m.team_id = l.team_id AND m.user_id = ?
      WHERE g.package_id = p.id AND g.role IN (SELECT value FROM json_each(?))))`,
    params: [caller.id, JSON.stringify(roles), caller.id, JSON.stringify(roles)],
  }
}

/** Packages that are not deleted. */
export function visiblePackages(db: Db, workspace: WorkspaceFacts, caller: Caller): Clause {
  if (hasWholeWorkspace(workspace, caller)) return EVERYTHING
  const own = ownGrants(workspace, caller, ['read', 'write', 'admin'])
  const { workspaces, granted, only } = visibleReposOf(db, caller)
  return {
    sql: `(p.private = 0 OR ${own.sql} OR (p.inherit_access = 1 AND p.repo_id IN (
      SELECT r.id FROM repos r WHERE r.deleted_at IS NULL
      AND (r.workspace_id IN (SELECT value FROM json_each(?)) OR r.id IN (SELECT value FROM json_each(?)))
      ${only === null ? '' : 'AND r.id IN (SELECT value FROM json_each(?))'})))`,
    params: [
      ...own.params,
      JSON.stringify(workspaces),
      JSON.stringify(granted),
      ...(only === null ? [] : [JSON.stringify(only)]),
    ],
  }
}

/** Packages of which the caller is admin, for lists of deleted ones. */
export function administeredPackages(db: Db, workspace: WorkspaceFacts, caller: Caller): Clause {
  if (caller.kind === 'anonymous') return NOTHING
  if (workspace.role === 'owner' && hasWholeWorkspace(workspace, caller)) return EVERYTHING
  const own = ownGrants(workspace, caller, ['admin'])
  const repos = listReposWithDeletedPackages(db, workspace.id).filter((id) => {
    const repo = repoById(db, id)
    return repo !== null && reaches(factsOf(db, repo, caller)?.role ?? null, 'admin')
  })
  return {
    sql: `(${own.sql} OR (p.inherit_access = 1 AND p.repo_id IN (SELECT value FROM json_each(?))))`,
    params: [...own.params, JSON.stringify(repos)],
  }
}
