import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Workspace } from './schema.ts'
import { requireWorkspace, workspaceRecord } from './workspaces.ts'

export const getWorkspace = operation({
  name: 'get_workspace',
  summary:
    'Get a workspace that you belong to: its settings, what members may do there, and your role. For its members.',
  keywords: ['organization details', 'org settings', 'about an organization'],
  route: 'GET /workspaces/{workspace}',
  toolset: 'access',
  listed: 'default',
  access: readsWorkspace({ scope: 'workspace:read', whileTwoFactorMissing: true }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: Workspace,

  handler: ({ hearth, db, workspace }) =>
    workspaceRecord(hearth, requireWorkspace(db, workspace.id), workspace.role),
})
