/** Facts for access decisions: the repository and the caller's standing on it. */
import { limitRepoFacts, type RepoFacts } from '#core/access.ts'
import { higherRole, lowerRole, type Caller, type Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { findWorkspace, formerWorkspace, workspaceById } from '#features/workspaces/index.ts'
import { findRepoByName, REPO_PATH, repoById, repoByPath, type RepoRow } from '../store/repos.ts'
import { findRedirect } from '../store/redirects.ts'
import { findRoleParts, type RoleParts } from '../store/roles.ts'

/**
 * Whether the caller owns a fork: as its author, as the person whose agent is the author, or as
 * another agent of that person.
 */
function isOwnFork(fork: RepoRow, caller: Caller): boolean {
  if (caller.kind === 'anonymous') return false
  if (caller.id === fork.created_by) return true
  const person =
    caller.kind === 'agent' ? caller.owner_id : caller.kind === 'user' ? caller.id : null
  return person !== null && (person === fork.created_by || person === fork.created_for)
}

/** `<workspace>/<repo>`, or for a fork `<workspace>/<repo>/pull/<number>`. */
export function fullNameOf(db: Db, row: RepoRow): string {
  const parent = row.parent_id === null ? row : (repoById(db, row.parent_id) ?? row)
  const slug = workspaceById(db, parent.workspace_id)?.slug ?? 'ghost'
  return row.pull_number === null
    ? `${slug}/${parent.name}`
    : `${slug}/${parent.name}/pull/${row.pull_number}`
}

/** Returns the full name of a repository; an empty string when it no longer exists. */
export function fullName(db: Db, repo_id: string): string {
  const row = repoById(db, repo_id)
  return row ? fullNameOf(db, row) : ''
}

/** The facts of a repository for a caller, within the limits of the token. */
export function factsOf(db: Db, row: RepoRow, caller: Caller): RepoFacts | null {
  const parent = row.parent_id === null ? row : repoById(db, row.parent_id)
  const workspace = parent && workspaceById(db, parent.workspace_id)
  if (!parent || !workspace) return null
  const { role: base, workspace_role, two_factor_missing } = findStanding(db, parent, caller)
  const isPrivate = parent.private === 1
  const role =
    row === parent || (base === null && isPrivate)
      ? base
      : isOwnFork(row, caller)
        ? 'write'
        : base === null
          ? null
          : 'read'
  const facts = {
    id: row.id,
    full_name:
      row.pull_number === null
        ? `${workspace.slug}/${parent.name}`
        : `${workspace.slug}/${parent.name}/pull/${row.pull_number}`,
    name: parent.name,
    workspace_id: workspace.id,
    workspace: workspace.slug,
    private: isPrivate,
    archived: parent.archived_at !== null,
    deleted: parent.deleted_at !== null || row.deleted_at !== null,
    role,
    workspace_role,
    default_branch: row.default_branch,
    store: row.store,
    parent_id: row.parent_id,
    pull_number: row.pull_number,
    two_factor_missing,
  }
  return limitRepoFacts(facts, caller)
}

type Standing = Pick<RepoFacts, 'role' | 'workspace_role' | 'two_factor_missing'>

const NO_STANDING: Standing = { role: null, workspace_role: null, two_factor_missing: false }

/**
 * Computes the role from ownership, base permission and grants. An agent never has a higher role
 * than its owner, and no role outside its repository.
 */
function findStanding(db: Db, repo: RepoRow, caller: Caller): Standing {
  if (caller.kind === 'anonymous') return NO_STANDING
  // The scopes of a workspace token limit what it can do within this role.
  if (caller.kind === 'workspace')
    return caller.id === repo.workspace_id
      ? { role: 'maintain', workspace_role: 'member', two_factor_missing: false }
      : NO_STANDING
  const parts = findRoleParts(db, repo.id, caller.kind === 'agent' ? caller.owner_id : caller.id)
  const person = highestRole(parts)
  return {
    role:
      caller.kind === 'user'
        ? person
        : caller.repo_id === repo.id
          ? lowerRole(person, 'write')
          : null,
    workspace_role:
      parts.workspace_role !== null && caller.kind === 'agent' ? 'member' : parts.workspace_role,
    // A second factor is required only from people who have access.
    two_factor_missing:
      parts.two_factor_missing && (person !== null || parts.workspace_role !== null),
  }
}

export const highestRole = ({ owner, base, direct, team }: RoleParts): Role | null =>
  higherRole(higherRole(owner, direct), higherRole(base, team))

/** Returns the facts of the repository at a path, deleted ones included; null when none exists. */
export function repoFacts(db: Db, path: string, caller: Caller): RepoFacts | null {
  const row = repoByPath(db, path)
  return row && factsOf(db, row, caller)
}

/**
 * Returns the current full name of the repository that had this path before, by its old name or an
 * old slug of its workspace. Null when none had it. The fork of a pull request moves with its
 * parent.
 */
export function findNewPath(db: Db, path: string): string | null {
  const [, slug = '', name = '', number] = REPO_PATH.exec(path) ?? []
  const present = findWorkspace(db, slug)
  const workspace = present ?? formerWorkspace(db, slug)
  if (!workspace) return null
  const id =
    (present ? null : findRepoByName(db, workspace.id, name)?.id) ??
    findRedirect(db, workspace.id, name)
  const full_name = id ? fullName(db, id) : ''
  return full_name === '' ? null : number === undefined ? full_name : `${full_name}/pull/${number}`
}

/**
 * The caller's role, at least read on a public repository; null without a role and for anonymous
 * callers.
 */
export const viewerRole = (facts: RepoFacts, caller: Caller): Role | null =>
  caller.kind === 'anonymous'
    ? null
    : higherRole(facts.role, facts.private || facts.deleted ? null : 'read')
