import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import { alertRecord, requireAlert } from './alert-records.ts'
import { SecretAlert } from './schema.ts'

export const getSecretAlert = operation({
  name: 'get_secret_alert',
  summary:
    'Get one secret alert of a repository: what kind of secret, whether it is resolved, who let it through. Needs admin or a security manager.',
  keywords: ['leaked key', 'details of a secret alert'],
  route: 'GET /repos/{owner}/{name}/secret-scanning/alerts/{id}',
  toolset: 'security',
  access: readsRepoAs('admin', { scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath, id: Id('sec') }),
  output: SecretAlert,

  handler: ({ hearth, repo }, { id }) =>
    alertRecord(hearth, repo.full_name, requireAlert(hearth, repo, id)),
})
