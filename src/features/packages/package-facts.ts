/** Facts for access decisions: the package and the caller's standing on it. */
import {
  limitPackageFacts,
  type AccountPackageFacts,
  type PackageFacts,
  type PackageTarget,
  type WorkspaceFacts,
} from '#core/access.ts'
import { higherRole, reaches, type Caller, type Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { factsOf, repoById } from '#features/repos/index.ts'
import { findWorkspace, workspaceFacts } from '#features/workspaces/index.ts'
import { formatOf } from './formats/index.ts'
import { parsePackageType } from './schema.ts'
import { listRolesByTeam } from './access/store.ts'
import { findPackage, findPackageRole, type PackageRow } from './store.ts'

/** The role of a repository as one of a package: triage reads, maintain writes. */
const asPackageRole = (role: Role | null): Role | null =>
  role === 'triage' ? 'read' : role === 'maintain' ? 'write' : role

/** The repository that everything is linked to which a caller with these limits creates. */
function creationOf(
  db: Db,
  workspace: WorkspaceFacts,
  caller: Caller,
): AccountPackageFacts['creation'] {
  if (caller.kind === 'anonymous') return null
  const only = caller.kind === 'agent' ? [caller.repo_id] : (caller.token?.repos ?? null)
  if (only !== null) {
    const [repo_id = ''] = only.length === 1 ? only : []
    const repo = repoById(db, repo_id)
    if (!repo || repo.workspace_id !== workspace.id || repo.deleted_at || repo.archived_at)
      return null
    return reaches(factsOf(db, repo, caller)?.role ?? null, 'write') ? { repo_id } : null
  }
  if (workspace.role === null) return null
  const isOpen = findWorkspace(db, workspace.slug)?.package_creation === 'members'
  return workspace.role === 'owner' || isOpen ? { repo_id: null } : null
}

/** The highest of a person's own role and those of their teams. */
const grantedRole = (db: Db, package_id: string, actor_id: string): Role | null =>
  listRolesByTeam(db, package_id, actor_id).reduce<Role | null>(
    higherRole,
    findPackageRole(db, package_id, actor_id),
  )

/** The role from the workspace, the linked repository and a grant of its own. */
export function packageRole(
  db: Db,
  row: PackageRow,
  workspace: Pick<WorkspaceFacts, 'role'>,
  caller: Caller,
): Role | null {
  if (caller.kind === 'anonymous') return null
  // A page of packages is often one of an owner, whom no other role makes higher.
  if (workspace.role === 'owner' && caller.kind !== 'agent') return 'admin'
  const repo = row.repo_id !== null && row.inherit_access === 1 ? repoById(db, row.repo_id) : null
  const linked = repo && repo.deleted_at === null ? factsOf(db, repo, caller) : null
  const inherited = asPackageRole(linked?.role ?? null)
  if (caller.kind === 'agent') return inherited
  const base = caller.kind === 'workspace' && workspace.role !== null ? 'write' : null
  // A grant ends with the membership.
  const granted = workspace.role === null ? null : grantedRole(db, row.id, caller.id)
  return higherRole(higherRole(base, inherited), granted)
}

/** The facts of a package for a caller, within the limits of the token. */
export function factsOfPackage(
  db: Db,
  row: PackageRow,
  workspace: WorkspaceFacts,
  caller: Caller,
): PackageFacts {
  const repo = row.repo_id === null ? null : repoById(db, row.repo_id)
  return limitPackageFacts(
    {
      id: row.id,
      type: row.type,
      name: row.name,
      workspace_id: workspace.id,
      workspace: workspace.slug,
      workspace_role: workspace.role,
      private: row.private === 1,
      deleted: row.deleted_at !== null,
      role: packageRole(db, row, workspace, caller),
      repo_id: row.repo_id,
      archived: repo?.archived_at != null,
      creation: creationOf(db, workspace, caller),
      two_factor_missing: workspace.two_factor_missing,
    },
    caller,
  )
}

/** Null for a workspace or type that does not exist. A package need not exist. */
export function packageFacts(
  db: Db,
  { workspace: slug, package_type, package_name }: PackageTarget,
  caller: Caller,
): PackageFacts | null {
  const type = parsePackageType(package_type)
  const workspace = type === null ? null : workspaceFacts(db, slug, caller)
  if (type === null || workspace === null) return null
  const normal_name = formatOf(type)?.normalName(package_name) ?? package_name.toLowerCase()
  const row = findPackage(db, workspace.id, type, normal_name)
  if (row) return factsOfPackage(db, row, workspace, caller)
  return limitPackageFacts(
    {
      id: null,
      type,
      name: package_name,
      workspace_id: workspace.id,
      workspace: workspace.slug,
      workspace_role: workspace.role,
      private: true,
      deleted: false,
      role: null,
      repo_id: null,
      archived: false,
      creation: creationOf(db, workspace, caller),
      two_factor_missing: workspace.two_factor_missing,
    },
    caller,
  )
}
