import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { findUser, Username } from '#features/accounts/index.ts'
import { findRoleParts } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import {
  indirectRoleError,
  requireOwnRepository,
  findRoleSource,
  revokeGrant,
} from './collaborators.ts'
import { findGrant } from './store.ts'

export const removeCollaborator = operation({
  name: 'remove_collaborator',
  summary:
    'Take back the role that somebody was given on a repository, or give up your own. What comes from ownership, base permission or a team stays. Needs admin, or about oneself; people only.',
  keywords: [
    'revoke access of a person',
    'kick out of a repository',
    'take away access',
    'remove from a repository',
    'unshare',
  ],
  route: 'DELETE /repos/{owner}/{name}/collaborators/{username}',
  toolset: 'access',
  listed: 'default',
  access: writesRepoAsPerson('read', { scope: 'access:admin' }),
  input: Type.Object({ repo: RepoPath, username: Username }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, repo, write }, { username }) => {
    if (username.toLowerCase() !== caller.username) repo.require('admin')
    requireOwnRepository(repo)
    return write((tx) => {
      const person = findUser(tx.db, username)
      const grant = person && findGrant(tx.db, repo.id, person.id)
      const other =
        person && !grant ? findRoleSource(findRoleParts(tx.db, repo.id, person.id)) : null
      if (person && other) throw indirectRoleError(repo, person, other.source)
      if (!person || !grant) throw notFound(`the collaborator ${username} of ${repo.full_name}`)
      revokeGrant(tx, repo, person, grant.role)
      return null
    })
  },
})
