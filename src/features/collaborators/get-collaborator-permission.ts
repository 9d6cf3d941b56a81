import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findUserById, requireUser, Username } from '#features/accounts/index.ts'
import { findRoleParts } from '#features/repos/index.ts'
import { permissionsOf, requireOwnRepository, findRoleSource } from './collaborators.ts'
import { Permission } from './schema.ts'

/** Everyone can read a public repository. That role has no source. */
export const getCollaboratorPermission = operation({
  name: 'get_collaborator_permission',
  summary:
    'Get the role that a person has on a repository (none without one) and where it comes from. Needs write, or about oneself.',
  keywords: [
    'what permission has',
    'can someone push',
    "someone's role",
    'access level of a person',
  ],
  route: 'GET /repos/{owner}/{name}/collaborators/{username}/permission',
  toolset: 'access',
  listed: 'default',
  access: readsRepoAs('read', { scope: 'access:read' }),
  input: Type.Object({ repo: RepoPath, username: Username }),
  output: Permission,

  handler: ({ db, caller, repo }, { username }) => {
    if (username.toLowerCase() !== caller.username) repo.require('write')
    requireOwnRepository(repo)
    const person = requireUser(db, username)
    const parts = findRoleParts(db, repo.id, person.id)
    const suspended = findUserById(db, person.id)?.suspended_at != null
    const own = suspended ? null : findRoleSource(parts)
    const role = own?.role ?? (suspended || repo.private ? null : 'read')
    return {
      username: person.username,
      role: role ?? ('none' as const),
      source: own?.source ?? null,
      member: parts.workspace_role !== null,
      permissions: permissionsOf(role),
    }
  },
})
