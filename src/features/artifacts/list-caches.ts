import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireOwnRuns } from '#features/workflows/index.ts'
import { Caches } from './schema.ts'
import { cacheRecord, listCacheRows } from './store-caches.ts'

export const listCaches = operation({
  name: 'list_caches',
  summary:
    'List the caches of the workflows of a repository, the last used first; key selects those that begin with it. Together they have at most the bytes of the setting jobs.cache_bytes (10 GiB), and those that were not used for longest go first.',
  keywords: ['CI cache', 'dependency cache', 'how large are the caches'],
  route: 'GET /repos/{owner}/{name}/actions/caches',
  toolset: 'workflows',
  access: readsRepoAs('read', { scope: 'workflows:read' }),
  input: Type.Object({
    repo: RepoPath,
    key: Type.Optional(Type.String({ maxLength: 512, description: 'How the keys begin.' })),
    ...byPage(),
  }),
  output: Caches,
  list: 'page',
  // Jobs choose the keys, and the change controls the jobs.
  untrusted: ({ items }) => items.map((_, index) => `/items/${index}/key`),

  handler: ({ db, repo }, { key = '', ...paging }) => {
    requireOwnRuns(repo)
    const window = windowOf(paging)
    const rows = listCacheRows(db, repo.id, key, { ...window, limit: window.limit + 1 })
    return pageOf(rows.map(cacheRecord), window)
  },
})
