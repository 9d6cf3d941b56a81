import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { previewRule } from './rules.ts'
import { RetentionPreview, ruleInputs } from './schema.ts'

export const previewWorkspaceRetention = operation({
  name: 'preview_workspace_retention',
  summary:
    'List what a retention rule would delete now of the packages of a workspace that have no rule of their own, without deleting it. For its owners. Give a rule to try it; without one, the saved rule is used.',
  keywords: ['dry run of retention for a workspace'],
  route: 'GET /workspaces/{workspace}/packages/retention/preview',
  toolset: 'packages',
  access: readsWorkspaceAsOwner({ scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...ruleInputs }),
  output: RetentionPreview,

  handler: ({ hearth, workspace }, { workspace: _, ...rule }) =>
    previewRule(hearth, { workspace_id: workspace.id, package_id: null }, rule),
})
