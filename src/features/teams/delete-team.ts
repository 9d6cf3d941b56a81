import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { TeamSlug } from './schema.ts'
import { removeTeam } from './store.ts'
import { listTeamRepoRows } from './store-repos.ts'
import { requireManager, requireTeam } from './teams.ts'

export const deleteTeam = operation({
  name: 'delete_team',
  summary:
    'Delete a team: the roles that it gave end, and its child teams become top level. For owners and its maintainers, people only. The answer is empty.',
  keywords: ['remove a team', 'disband a team'],
  route: 'DELETE /workspaces/{workspace}/teams/{team}',
  toolset: 'teams',
  access: writesWorkspaceAsPerson('member', { scope: 'workspace:admin access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, workspace, write }, { team }) =>
    write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      requireManager(tx.db, workspace, row, caller)
      const repositories = listTeamRepoRows(tx.db, row.id).flatMap(
        ({ full_name, role, from_id }) => (from_id === row.id ? [{ full_name, role }] : []),
      )
      tx.audit({
        action: 'team.deleted',
        target: { kind: 'team', id: row.id, name: row.slug },
        workspace_id: workspace.id,
        data: { before: { name: row.name, repositories } },
      })
      removeTeam(tx, row.id)
      return null
    }),
})
