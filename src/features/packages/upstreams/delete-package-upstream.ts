import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { auditUpstream, requireUpstream } from './record.ts'
import { UpstreamTypeInput } from './schema.ts'
import { removeUpstream } from './store.ts'

export const deletePackageUpstream = operation({
  name: 'delete_package_upstream',
  summary:
    'Stop reading a type of packages through from another registry, and delete its cache. Packages of the workspace stay. For its owners (people only). The answer is empty.',
  keywords: ['remove registry proxy', 'turn off pull through cache'],
  route: 'DELETE /workspaces/{workspace}/package-upstreams/{package_type}',
  toolset: 'packages',
  access: writesWorkspaceAsPerson('owner', { scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, package_type: UpstreamTypeInput }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true, idempotent: true },

  handler: ({ workspace, write }, { package_type }) =>
    write((tx) => {
      const row = requireUpstream(tx.db, workspace.id, package_type)
      auditUpstream(tx, 'package_upstream.deleted', row, null)
      removeUpstream(tx, row.id)
      return null
    }),
})
