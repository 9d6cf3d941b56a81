import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Usage } from './schema.ts'
import { readUsage } from './usage.ts'

export const getUsage = operation({
  name: 'get_usage',
  summary:
    'Get what a workspace takes (storage, repositories, members, run minutes, cost of agents), each with its quota. For its members.',
  keywords: [
    'storage used',
    'disk usage',
    'how much space',
    'quota used',
    'billing',
    'cost of agents in a workspace',
    'how many run minutes',
  ],
  route: 'GET /workspaces/{workspace}/usage',
  toolset: 'admin',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: Usage,

  handler: ({ hearth, workspace }) => readUsage(hearth, [workspace.id])(workspace.id),
})
