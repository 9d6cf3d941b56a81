/**
 * Collaborators of a repository: the role of each with its source, and changes to roles that were
 * given directly.
 */
import type { RepoGrant } from '#core/access.ts'
import { reaches, type Role, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, findUserById, type Person } from '#features/accounts/index.ts'
import { findRoleParts, highestRole, type RoleParts } from '#features/repos/index.ts'
import { findTeamRole } from '#features/teams/index.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { collaboratorAdded, collaboratorRemoved, collaboratorRoleChanged } from './events.ts'
import type { Collaborator, RoleSource } from './schema.ts'
import { findGrant, findGrantTimes, findTeamOf, putGrant, removeGrant } from './store.ts'

type CollaboratorRepo = Pick<
  RepoGrant,
  'id' | 'workspace_id' | 'workspace' | 'workspace_role' | 'full_name'
>

export const permissionsOf = (role: Role | null) => ({
  read: reaches(role, 'read'),
  triage: reaches(role, 'triage'),
  write: reaches(role, 'write'),
  maintain: reaches(role, 'maintain'),
  admin: reaches(role, 'admin'),
})

/**
 * The highest role with its source. Among equal roles a direct grant is named before what all
 * members have.
 */
export function findRoleSource(parts: RoleParts): { role: Role; source: RoleSource } | null {
  const role = highestRole(parts)
  if (role === null) return null
  return {
    role,
    source:
      (['owner', 'direct', 'base', 'team'] as const).find((part) => parts[part] === role) ??
      'direct',
  }
}

/** The record of a collaborator as the caller sees it. Null for a user without a role. */
export function collaboratorRecord(
  hearth: Hearth,
  repo: CollaboratorRepo,
  user_id: string,
  caller: SignedIn,
): Collaborator | null {
  const { db } = hearth
  const parts = findRoleParts(db, repo.id, user_id)
  const highest = findRoleSource(parts)
  if (!highest) return null
  const user = actorOf(hearth, user_id)
  const team = highest.source === 'team' ? findTeamOf(db, repo.id, user_id) : null
  const seesTeam =
    team &&
    (team.visibility === 'visible' ||
      repo.workspace_role === 'owner' ||
      (caller.kind === 'user' && findTeamRole(db, team.id, caller.id) !== null))
  const { joined_at, granted_at } = findGrantTimes(db, repo, user_id)
  const since =
    highest.source === 'direct'
      ? granted_at
      : highest.source === 'team'
        ? (team?.since ?? null)
        : joined_at
  return {
    user,
    username: user.username,
    ...highest,
    team: seesTeam ? team.slug : null,
    member: parts.workspace_role !== null,
    permissions: permissionsOf(highest.role),
    added_at: since ?? joined_at ?? granted_at ?? findUserById(db, user_id)?.created_at ?? '',
  }
}

/** The same for a user whose role was just set. */
export function requireCollaborator(
  hearth: Hearth,
  repo: CollaboratorRepo,
  user_id: string,
  caller: SignedIn,
): Collaborator {
  const record = collaboratorRecord(hearth, repo, user_id, caller)
  if (!record) throw new TypeError('a person who was just given a role has none')
  return record
}

const SOURCE_DESCRIPTIONS: Record<
  Exclude<RoleSource, 'direct'>,
  (repo: CollaboratorRepo) => string
> = {
  owner: ({ workspace }) => `as an owner of ${workspace}`,
  base: ({ workspace }) => `from the base permission of ${workspace}`,
  team: () => 'from a team',
}

/** Throws 422 for a role below what the user has from another source, and names the source. */
function requireNotBelow(
  repo: CollaboratorRepo,
  person: Person,
  parts: RoleParts,
  role: Role,
): void {
  const without = findRoleSource({ ...parts, direct: null })
  if (!without || without.source === 'direct' || reaches(role, without.role)) return
  throw invalid(
    'role',
    `${person.username} has the role ${without.role} ${SOURCE_DESCRIPTIONS[without.source](repo)}, so it cannot be lowered to ${role} here`,
    { details: { source: without.source } },
  )
}

/**
 * Gives a user a role on a repository, or changes it. Throws 422 for a role below what the user has
 * from another source.
 */
export function grantRole(
  tx: Tx,
  repo: CollaboratorRepo,
  person: Person,
  role: Role,
  added_by: string | null,
): void {
  requireNotBelow(repo, person, findRoleParts(tx.db, repo.id, person.id), role)
  const before = findGrant(tx.db, repo.id, person.id)?.role ?? null
  if (before === role) return
  putGrant(tx, { repo_id: repo.id, user_id: person.id, role, added_by })
  tx.append(
    before === null ? collaboratorAdded : collaboratorRoleChanged,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { username: person.username, role, previous_role: before },
  )
  tx.audit({
    action: before === null ? 'repo.collaborator_added' : 'repo.collaborator_role_changed',
    target: { kind: 'user', id: person.id, name: person.username },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { repository: repo.full_name, before: before && { role: before }, after: { role } },
  })
}

/** Removes a role that was given directly. */
export function revokeGrant(
  tx: Tx,
  repo: Pick<CollaboratorRepo, 'id' | 'workspace_id' | 'full_name'>,
  person: Person,
  role: Role,
): void {
  removeGrant(tx, repo.id, person.id)
  tx.append(
    collaboratorRemoved,
    { workspace_id: repo.workspace_id, repo_id: repo.id },
    { username: person.username, role: null, previous_role: role },
  )
  tx.audit({
    action: 'repo.collaborator_removed',
    target: { kind: 'user', id: person.id, name: person.username },
    workspace_id: repo.workspace_id,
    repo_id: repo.id,
    data: { repository: repo.full_name, before: { role } },
  })
}

/**
 * Collaborators belong to repositories, never to the forks of pull requests. Throws 404 for a fork.
 */
export function requireOwnRepository(repo: RepoGrant): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

/** The error for a role that was not given directly and so cannot be removed here. */
export const indirectRoleError = (repo: CollaboratorRepo, person: Person, source: RoleSource) =>
  invalid(
    'username',
    `the role of ${person.username} on ${repo.full_name} comes ${SOURCE_DESCRIPTIONS[source === 'direct' ? 'team' : source](repo)}; change it there`,
    { details: { source } },
  )
