import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { findUser, Username } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { TeamSlug } from './schema.ts'
import { findTeamMember, removeTeamMemberRow } from './store-members.ts'
import { requireManager, requireTeam } from './teams.ts'

export const removeTeamMember = operation({
  name: 'remove_team_member',
  summary:
    'Take somebody out of a team, or leave it yourself; the roles that it gave them end. For owners and its maintainers, or about oneself; people only. The answer is empty.',
  keywords: [
    'throw someone out of a team',
    'kick out of a team',
    'leave a team',
    'take someone off a team',
  ],
  route: 'DELETE /workspaces/{workspace}/teams/{team}/members/{username}',
  toolset: 'teams',
  access: writesWorkspaceAsPerson('member', { scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, team: TeamSlug, username: Username }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ caller, workspace, write }, { team, username }) =>
    write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      if (username.toLowerCase() !== caller.username) requireManager(tx.db, workspace, row, caller)
      const person = findUser(tx.db, username)
      const member = person && findTeamMember(tx.db, row.id, person.id)
      if (!member) throw notFound(`the member ${username} of the team ${row.slug}`)
      removeTeamMemberRow(tx, row.id, member.user_id)
      tx.audit({
        action: 'team.member_removed',
        target: { kind: 'user', id: member.user_id, name: member.username },
        workspace_id: workspace.id,
        data: { team: row.slug, before: { role: member.role } },
      })
      return null
    }),
})
