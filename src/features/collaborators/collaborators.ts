/**
 * The people of a repository: what role each has and where it comes from, and changing what was
 * given directly.
 */
import type { RepoGrant } from '#core/access.ts'
import { reaches, type Role, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, findUserById, type Person } from '#features/accounts/index.ts'
import { findRoleParts, highestOf, type RoleParts } from '#features/repos/index.ts'
import { findTeamRole } from '#features/teams/index.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { collaboratorAdded, collaboratorRemoved, collaboratorRoleChanged } from './events.ts'
import type { Collaborator, Source } from './schema.ts'
import { findGrant, findSince, findTeamOf, putGrant, removeGrant } from './store.ts'

type Place = Pick<RepoGrant, 'id' | 'workspace_id' | 'workspace' | 'workspace_role' | 'full_name'>

export const permissionsOf = (role: Role | null) => ({
  read: reaches(role, 'read'),
  triage: reaches(role, 'triage'),
  write: reaches(role, 'write'),
  maintain: reaches(role, 'maintain'),
  admin: reaches(role, 'admin'),
})

/** Of equal parts what was given to the person is named before what all members have. */
export function sourceOf(parts: RoleParts): { role: Role; source: Source } | null {
  const role = highestOf(parts)
  if (role === null) return null
  return {
    role,
    source:
      (['owner', 'direct', 'base', 'team'] as const).find((part) => parts[part] === role) ??
      'direct',
  }
}

/** A person with a role on a repository as the caller sees them; null for somebody without one. */
export function collaboratorRecord(
  hearth: Hearth,
  repo: Place,
  user_id: string,
  caller: SignedIn,
): Collaborator | null {
  const { db } = hearth
  const parts = findRoleParts(db, repo.id, user_id)
  const found = sourceOf(parts)
  if (!found) return null
  const user = actorOf(hearth, user_id)
  const team = found.source === 'team' ? findTeamOf(db, repo.id, user_id) : null
  const seesTeam =
    team &&
    (team.visibility === 'visible' ||
      repo.workspace_role === 'owner' ||
      (caller.kind === 'user' && findTeamRole(db, team.id, caller.id) !== null))
  const { joined_at, granted_at } = findSince(db, repo, user_id)
  const since =
    found.source === 'direct'
      ? granted_at
      : found.source === 'team'
        ? (team?.since ?? null)
        : joined_at
  return {
    user,
    username: user.username,
    ...found,
    team: seesTeam ? team.slug : null,
    member: parts.workspace_role !== null,
    permissions: permissionsOf(found.role),
    added_at: since ?? joined_at ?? granted_at ?? findUserById(db, user_id)?.created_at ?? '',
  }
}

/** The same for somebody whose role was just set. */
export function requireCollaborator(
  hearth: Hearth,
  repo: Place,
  user_id: string,
  caller: SignedIn,
): Collaborator {
  const record = collaboratorRecord(hearth, repo, user_id, caller)
  if (!record) throw new TypeError('a person who was just given a role has none')
  return record
}

const WORDS: Record<Exclude<Source, 'direct'>, (repo: Place) => string> = {
  owner: ({ workspace }) => `as an owner of ${workspace}`,
  base: ({ workspace }) => `from the base permission of ${workspace}`,
  team: () => 'from a team',
}

/** Gives 422 for a role below what the person has anyway, naming where that comes from. */
function requireNotBelow(repo: Place, person: Person, parts: RoleParts, role: Role): void {
  const without = sourceOf({ ...parts, direct: null })
  if (!without || without.source === 'direct' || reaches(role, without.role)) return
  throw invalid(
    'role',
    `${person.username} has the role ${without.role} ${WORDS[without.source](repo)}, so it cannot be lowered to ${role} here`,
    { details: { source: without.source } },
  )
}

/**
 * Gives a person a role on a repository, or another one than they had. Gives 422 for one below what
 * they have anyway.
 */
export function give(
  tx: Tx,
  repo: Place,
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

/** Takes back what a person was given directly. */
export function take(
  tx: Tx,
  repo: Pick<Place, 'id' | 'workspace_id' | 'full_name'>,
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

/** People belong to repositories, never to the forks of pull requests. */
export function requireOwnRepository(repo: RepoGrant): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}

/** Why nothing can be taken back from somebody whose role was not given directly. */
export const notDirect = (repo: Place, person: Person, source: Source) =>
  invalid(
    'username',
    `the role of ${person.username} on ${repo.full_name} comes ${WORDS[source === 'direct' ? 'team' : source](repo)}; change it there`,
    { details: { source } },
  )
