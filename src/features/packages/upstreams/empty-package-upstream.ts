import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { requireUpstream, upstreamRecord } from './record.ts'
import { Upstream, UpstreamTypeInput } from './schema.ts'
import { emptyCache } from './store.ts'

export const emptyPackageUpstream = operation({
  name: 'empty_package_upstream',
  summary:
    'Empty the cache of an upstream; what is asked for next is read from the registry again. The bytes leave the disk within two days. For owners of the workspace (people only).',
  keywords: ['clear registry cache', 'free space of cached packages'],
  route: 'DELETE /workspaces/{workspace}/package-upstreams/{package_type}/packages',
  toolset: 'packages',
  access: writesWorkspaceAsPerson('owner', { scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, package_type: UpstreamTypeInput }),
  output: Upstream,
  annotations: { destructive: true, idempotent: true },

  handler: ({ hearth, workspace, write }, { package_type }) =>
    write((tx) => {
      const row = requireUpstream(tx.db, workspace.id, package_type)
      const files = emptyCache(tx, row.id)
      tx.audit({
        action: 'package_upstream.emptied',
        target: { kind: 'package_upstream', id: row.id, name: row.type },
        workspace_id: row.workspace_id,
        data: { files },
      })
      return upstreamRecord(hearth, tx.db, row, workspace.slug)
    }),
})
