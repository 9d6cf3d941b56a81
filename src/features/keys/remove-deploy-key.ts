import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { findDeployKey, removeDeployKeyRow } from './store-deploy-keys.ts'

export const removeDeployKey = operation({
  name: 'remove_deploy_key',
  summary:
    'Remove a deploy key of a repository by its id; connections with it end (Admin). For people only. The answer is empty.',
  keywords: ['revoke a deploy key', 'delete a machine key'],
  route: 'DELETE /repos/{owner}/{name}/keys/{id}',
  toolset: 'access',
  access: writesRepoAsPerson('admin', { scope: 'access:admin', whileArchived: true }),
  input: Type.Object({
    repo: RepoPath,
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of the key.' }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id, { whileArchived: true })
      const row = findDeployKey(tx.db, id)
      if (row?.repo_id !== repo.id) throw notFound('the key')
      removeDeployKeyRow(tx, id)
      auditRepo(tx, 'deploy_key.removed', live, {
        before: { title: row.title, read_only: row.read_only === 1, fingerprint: row.fingerprint },
      })
      return null
    }),
})
