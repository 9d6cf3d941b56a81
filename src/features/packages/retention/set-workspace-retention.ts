import { writesWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { saveRule } from './rules.ts'
import { Retention, ruleInputs } from './schema.ts'

export const setWorkspaceRetention = operation({
  name: 'set_workspace_retention',
  summary:
    'Set the retention rule for the packages of a workspace that have none of their own. A daily job deletes the versions that nothing in the rule keeps; they can be restored for 30 days. For its owners. Preview it first.',
  keywords: ['delete old packages', 'clean up old images of all packages'],
  route: 'PUT /workspaces/{workspace}/packages/retention',
  toolset: 'packages',
  access: writesWorkspace('owner', { scope: 'packages:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...ruleInputs }),
  output: Retention,
  annotations: { idempotent: true },

  handler: ({ workspace, caller, write }, { workspace: _, ...rule }) =>
    write((tx) => {
      const scope = { workspace_id: workspace.id, package_id: null }
      return saveRule(tx, scope, { name: workspace.slug, by: caller.id }, rule)
    }),
})
