import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { requireTeam, TeamSlug } from '#features/teams/index.ts'
import { notFound } from '#lib/errors.ts'
import { removeSecurityTeam } from './store.ts'

export const removeSecurityManager = operation({
  name: 'remove_security_manager',
  summary:
    'Take the work on security findings from a team. For owners, people only. The answer is empty.',
  keywords: ['security team', 'no longer handles alerts'],
  route: 'DELETE /workspaces/{workspace}/security-managers/{team}',
  toolset: 'security',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, workspace, write }, { team }) =>
    write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      if (!removeSecurityTeam(tx, row.id)) throw notFound(`the security manager ${row.slug}`)
      tx.audit({
        action: 'security.manager_removed',
        target: { kind: 'team', id: row.id, name: row.slug },
        workspace_id: workspace.id,
      })
      return null
    }),
})
