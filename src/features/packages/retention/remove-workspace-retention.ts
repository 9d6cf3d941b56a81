import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { dropRule } from './rules.ts'

export const removeWorkspaceRetention = operation({
  name: 'remove_workspace_retention',
  summary:
    'Remove the retention rule of a workspace. Rules of single packages stay. For its owners. The answer is empty.',
  keywords: ['stop deleting old packages'],
  route: 'DELETE /workspaces/{workspace}/packages/retention',
  toolset: 'packages',
  access: writesWorkspace('owner', { scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: Nothing,
  status: 204,
  annotations: { idempotent: true },

  handler: ({ workspace, write }) =>
    write((tx) => {
      dropRule(tx, { workspace_id: workspace.id, package_id: null }, workspace.slug)
      return null
    }),
})
