import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { upstreamRecord } from './record.ts'
import { Upstreams } from './schema.ts'
import { listUpstreamRows } from './store.ts'

export const listPackageUpstreams = operation({
  name: 'list_package_upstreams',
  summary:
    'List the registries that a workspace reads through and caches, one for each type, with the size of each cache and the last error. For its owners.',
  keywords: ['registry proxy', 'npm cache', 'pull through cache', 'mirror of PyPI'],
  route: 'GET /workspaces/{workspace}/package-upstreams',
  toolset: 'packages',
  access: readsWorkspaceAsOwner({ scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: Upstreams,

  handler: ({ hearth, db, workspace }) => ({
    upstreams: listUpstreamRows(db, workspace.id).map((row) =>
      upstreamRecord(hearth, db, row, workspace.slug),
    ),
  }),
})
