import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { CacheId } from './schema.ts'
import { removeCache, requireCache } from './store-caches.ts'

export const deleteCache = operation({
  name: 'delete_cache',
  summary:
    'Delete a cache of workflows (Write); the next run that needs it makes it anew. The answer is empty.',
  keywords: ['clear the CI cache', 'purge a cache', 'a broken cache'],
  route: 'DELETE /repos/{owner}/{name}/actions/caches/{id}',
  toolset: 'workflows',
  access: writesRepo('write', { scope: 'workflows:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, id: CacheId }),
  output: Nothing,
  status: 204,

  handler: ({ repo, write }, { id }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireCache(tx.db, repo, id)
      removeCache(tx, row.id)
      auditRepo(tx, 'cache.deleted', live, {
        before: { cache: row.id, key: row.key, ref: row.ref },
      })
      return null
    }),
})
