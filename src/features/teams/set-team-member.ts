import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { findUser, Username } from '#features/accounts/index.ts'
import { findStanding } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import { TeamMember, TeamRole, TeamSlug } from './schema.ts'
import { findTeamMember, putTeamMember } from './store-members.ts'
import { requireManager, requireTeam, teamMemberRecords } from './teams.ts'

export const setTeamMember = operation({
  name: 'set_team_member',
  summary:
    'Put a member of the workspace into a team, or change their role in it; what is left out stays, member for a new one. For owners and its maintainers, people only.',
  keywords: ['add someone to a team', 'put in a team', 'join a team', 'team maintainer'],
  route: 'PUT /workspaces/{workspace}/teams/{team}/members/{username}',
  toolset: 'teams',
  access: writesWorkspaceAsPerson('member', { scope: 'access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    team: TeamSlug,
    username: Username,
    role: Type.Optional(TeamRole),
  }),
  output: TeamMember,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, workspace, write }, { team, username, role }) =>
    write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      requireManager(tx.db, workspace, row, caller)
      const person = findUser(tx.db, username)
      // One message for both cases, so that it does not reveal which accounts exist.
      if (!person || !findStanding(tx.db, workspace.id, person.id))
        throw invalid(
          'username',
          `${username} does not belong to ${workspace.slug}; invite them first`,
        )
      const before = findTeamMember(tx.db, row.id, person.id)
      const newRole = role ?? before?.role ?? 'member'
      putTeamMember(tx, { team_id: row.id, user_id: person.id, role: newRole, added_by: caller.id })
      const after = findTeamMember(tx.db, row.id, person.id)
      const [record] = after ? teamMemberRecords(hearth, [after]) : []
      if (!record) throw new TypeError('the new team member is missing')
      if (before?.role !== newRole) {
        tx.audit({
          action: before ? 'team.member_role_changed' : 'team.member_added',
          target: { kind: 'user', id: person.id, name: person.username },
          workspace_id: workspace.id,
          data: {
            team: row.slug,
            before: before && { role: before.role },
            after: { role: newRole },
          },
        })
      }
      return record
    }),
})
