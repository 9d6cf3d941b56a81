/** What access asks about a repository: which it is, and how the caller stands to it. */
import type { RepoFacts } from '#core/access.ts'
import { higherRole, lowerRole, type Caller, type Role, type UserCaller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { roleIn, workspaceById, workspaceFacts } from '#features/workspaces/index.ts'
import { repoById, repoByPath, type RepoRow } from './store.ts'

/** The person behind an agent: an agent never has more than that person has. */
const personOf = (caller: Caller): Caller =>
  caller.kind !== 'agent'
    ? caller
    : ({
        kind: 'user', id: caller.owner_id, username: caller.owner_username, verified: true, suspended: false, site_admin: false, token: null, sign_in: null,
      } satisfies UserCaller)

/** Whether a fork is this caller's own: its author's, the author's agents', or the person's whose agent is the author. */
function isOwnFork(fork: RepoRow, caller: Caller): boolean {
  if (caller.kind === 'anonymous') return false
  if (caller.id === fork.created_by) return true
  return caller.kind === 'agent' ? caller.owner_id === fork.created_by : caller.kind === 'user' && caller.id === fork.created_for
}

/** `<workspace>/<repo>`, or for a fork `<workspace>/<repo>/pull/<number>`. */
export function fullNameOf(db: Db, row: RepoRow): string {
  const parent = row.parent_id === null ? row : (repoById(db, row.parent_id) ?? row)
  const slug = workspaceById(db, parent.workspace_id)?.slug ?? 'ghost'
  return row.pull_number === null ? `${slug}/${parent.name}` : `${slug}/${parent.name}/pull/${row.pull_number}`
}

/** The full name by id; empty when the repository is gone. */
export function fullName(db: Db, repo_id: string): string {
  const row = repoById(db, repo_id)
  return row ? fullNameOf(db, row) : ''
}

export function factsOf(db: Db, row: RepoRow, caller: Caller): RepoFacts | null {
  const parent = row.parent_id === null ? row : repoById(db, row.parent_id)
  const workspace = parent && workspaceById(db, parent.workspace_id)
  if (!parent || !workspace) return null
  const standing = caller.kind === 'anonymous' ? null : workspaceFacts(db, workspace.slug, caller)
  const isPrivate = parent.private === 1
  const base = baseRole(db, parent, workspace, caller)
  const role = row === parent || (base === null && isPrivate) ? base : isOwnFork(row, caller) ? 'write' : base === null ? null : 'read'
  return {
    id: row.id,
    full_name: row.pull_number === null ? `${workspace.slug}/${parent.name}` : `${workspace.slug}/${parent.name}/pull/${row.pull_number}`,
    name: parent.name,
    workspace_id: workspace.id,
    workspace: workspace.slug,
    private: isPrivate,
    archived: parent.archived_at !== null,
    deleted: parent.deleted_at !== null || row.deleted_at !== null,
    role,
    workspace_role: standing?.role ?? null,
    default_branch: row.default_branch,
    store: row.store,
    parent_id: row.parent_id,
    pull_number: row.pull_number,
    two_factor_missing: standing?.two_factor_missing ?? false,
  }
}

type Workspace = NonNullable<ReturnType<typeof workspaceById>>

function baseRole(db: Db, repo: RepoRow, workspace: Workspace, caller: Caller): Role | null {
  if (caller.kind === 'anonymous') return null
  // What a workspace's own token may do is said by the token.
  if (caller.kind === 'workspace') return caller.id === workspace.id ? 'maintain' : null
  if (caller.kind === 'agent' && caller.repo_id !== repo.id) return null
  const standing = roleIn(db, workspace.id, personOf(caller))
  const own: Role | null = standing === 'owner' ? 'admin' : standing === null || workspace.base_permission === 'none' ? null : workspace.base_permission
  return caller.kind === 'agent' ? lowerRole(own, 'write') : own
}

/** The facts of the repository at a path, deleted ones too; null when there is none. */
export function repoFacts(db: Db, path: string, caller: Caller): RepoFacts | null {
  const row = repoByPath(db, path)
  return row && factsOf(db, row, caller)
}

/** The caller's role after public visibility and the limits of the token; null for none, and for anonymous callers. */
export function viewerRole(facts: RepoFacts, caller: Caller): Role | null {
  if (caller.kind === 'anonymous') return null
  const open = facts.private || facts.deleted ? null : ('read' as const)
  const { token } = caller
  if (token === null) return higherRole(facts.role, open)
  const inside =
    (token.repos === null || token.repos.includes(facts.id) || (facts.parent_id !== null && token.repos.includes(facts.parent_id))) &&
    (token.workspace === null || token.workspace === facts.workspace_id)
  return higherRole(inside ? (token.role === null ? facts.role : lowerRole(facts.role, token.role)) : null, open)
}
