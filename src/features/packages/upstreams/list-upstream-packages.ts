import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { requireUpstream } from './record.ts'
import { UpstreamPackages, UpstreamTypeInput } from './schema.ts'
import { countCachedPackages, listCachedPackages } from './store.ts'

export const listUpstreamPackages = operation({
  name: 'list_upstream_packages',
  summary:
    'List the packages in the cache of an upstream by name, with their files, size and last use. For owners of the workspace.',
  keywords: ['which public packages do we use', 'size of cached packages'],
  route: 'GET /workspaces/{workspace}/package-upstreams/{package_type}/packages',
  toolset: 'packages',
  access: readsWorkspaceAsOwner({ scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, package_type: UpstreamTypeInput, ...byPage() }),
  output: UpstreamPackages,
  list: 'page',

  handler: ({ db, workspace }, { package_type, ...paging }) => {
    const { id } = requireUpstream(db, workspace.id, package_type)
    const window = windowOf(paging)
    return pageOf(listCachedPackages(db, id, window), window, countCachedPackages(db, id))
  },
})
