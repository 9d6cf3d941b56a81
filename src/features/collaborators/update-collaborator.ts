import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findUser, Username } from '#features/accounts/index.ts'
import { findRoleParts, highestRole, RoleWord } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { grantRole, requireCollaborator, requireOwnRepository } from './collaborators.ts'
import { Collaborator } from './schema.ts'

export const updateCollaborator = operation({
  name: 'update_collaborator',
  summary:
    'Change the role of somebody on a repository; never below what they have from ownership, base permission or a team. For people with admin. Answers with the person.',
  keywords: [
    "change someone's role",
    'change permission',
    'make admin of a repository',
    'upgrade access',
  ],
  route: 'PATCH /repos/{owner}/{name}/collaborators/{username}',
  toolset: 'access',
  listed: 'default',
  access: writesRepoAsPerson('admin', { scope: 'access:admin' }),
  input: Type.Object({ repo: RepoPath, username: Username, role: RoleWord }),
  output: Collaborator,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, repo, write }, { username, role }) => {
    requireOwnRepository(repo)
    return write((tx) => {
      const person = findUser(tx.db, username)
      if (!person || highestRole(findRoleParts(tx.db, repo.id, person.id)) === null)
        throw notFound(`the collaborator ${username} of ${repo.full_name}`)
      grantRole(tx, repo, person, role, caller.id)
      return requireCollaborator(hearth, repo, person.id, caller)
    })
  },
})
