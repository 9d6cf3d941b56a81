import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { requireTeam, Team, teamRecord, TeamSlug } from '#features/teams/index.ts'
import { putSecurityTeam } from './store.ts'

export const setSecurityManager = operation({
  name: 'set_security_manager',
  summary:
    'Make a team security managers: its people read and work on the security findings of every repository of the workspace. For owners, people only. Answers the team.',
  keywords: ['security team', 'who handles alerts', 'security manager'],
  route: 'PUT /workspaces/{workspace}/security-managers/{team}',
  toolset: 'security',
  access: writesWorkspaceAsPerson('owner', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug }),
  output: Team,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, workspace, write }, { team }) =>
    write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      const isNew = putSecurityTeam(tx, {
        team_id: row.id,
        workspace_id: workspace.id,
        added_by: caller.id,
      })
      if (isNew)
        tx.audit({
          action: 'security.manager_added',
          target: { kind: 'team', id: row.id, name: row.slug },
          workspace_id: workspace.id,
        })
      return teamRecord(hearth, row, workspace, caller)
    }),
})
