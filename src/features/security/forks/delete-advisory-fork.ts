import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireRepo } from '#features/repos/index.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { requireFork } from './fork.ts'
import { removeFork } from './remove-forks.ts'

export const deleteAdvisoryFork = operation({
  name: 'delete_advisory_fork',
  summary:
    'Delete the private fork of an advisory with all its branches, for good (Admin or a security manager, people only).',
  keywords: ['delete a temporary private fork'],
  route: 'DELETE /repos/{owner}/{name}/security/advisories/{id}/fork',
  toolset: 'security',
  annotations: { destructive: true },
  access: writesRepoAsPerson('admin', {
    scope: 'security:write',
    securityManager: true,
    whileArchived: true,
  }),
  input: Type.Object({ repo: RepoPath, id: AdvisoryId }),
  output: Type.Object({}),
  status: 204,

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const fork = requireFork(tx.db, repo, id)
      auditRepo(tx, 'security.advisory_fork_deleted', requireRepo(tx.db, repo.id), {
        before: { advisory: id },
      })
      removeFork(tx, fork)
      return {}
    }),
})
