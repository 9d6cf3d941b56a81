import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { changeWorkspace } from './change-workspace.ts'
import { BasePermission, WorkspaceBasics } from './schema.ts'

/** A tool only. Over REST `update_workspace` serves `PATCH /workspaces/{workspace}`. */
export const setBasePermission = operation({
  name: 'set_base_permission',
  summary:
    'Set what every member of a workspace gets on each of its repositories. For its owners, people only. Answers with the workspace as it is now.',
  keywords: ['default permission of members', 'base role of the organization'],
  route: null,
  tool: true,
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, base_permission: BasePermission }),
  output: WorkspaceBasics,
  annotations: { idempotent: true },

  handler: ({ workspace, write }, { base_permission }) =>
    write((tx) => changeWorkspace(tx, workspace.id, { base_permission })),
})
