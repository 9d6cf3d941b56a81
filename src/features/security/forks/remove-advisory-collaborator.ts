import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findUser } from '#features/accounts/index.ts'
import { auditRepo, requireRepo } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { requireAdvisory } from './fork.ts'
import { removeCollaborator } from './store-collaborators.ts'

export const removeAdvisoryCollaborator = operation({
  name: 'remove_advisory_collaborator',
  summary:
    'End the invitation of a person to an advisory (Admin or a security manager, people only).',
  keywords: ['remove somebody from an advisory'],
  route: 'DELETE /repos/{owner}/{name}/security/advisories/{id}/collaborators/{username}',
  toolset: 'security',
  access: writesRepoAsPerson('admin', {
    scope: 'security:write',
    securityManager: true,
    whileArchived: true,
  }),
  input: Type.Object({
    repo: RepoPath,
    id: AdvisoryId,
    username: Type.String({ minLength: 1, maxLength: 100 }),
  }),
  output: Type.Object({}),
  status: 204,

  handler: ({ repo, write }, { id, username }) =>
    write((tx) => {
      const advisory = requireAdvisory(tx.db, repo, id)
      const person = findUser(tx.db, username)
      if (!person || !removeCollaborator(tx, advisory.id, person.id))
        throw notFound(`the person ${username}`)
      auditRepo(tx, 'security.advisory_collaborator_removed', requireRepo(tx.db, repo.id), {
        before: { advisory: advisory.id, username: person.username },
      })
      return {}
    }),
})
