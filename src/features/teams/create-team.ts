import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { oneLine, requireWorkspace } from '#features/workspaces/index.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { Team, TeamSlug, VISIBILITIES } from './schema.ts'
import { insertTeam } from './store.ts'
import { putTeamMember } from './store-members.ts'
import {
  requireFreeTeamSlug,
  requireParent,
  requireTeam,
  MAX_TEAM_DESCRIPTION_LENGTH,
  teamName,
  teamRecord,
} from './teams.ts'

export const createTeam = operation({
  name: 'create_team',
  summary:
    'Create a team and become its maintainer. For members of the workspace, or owners only where it says so; people only. Below a parent it inherits the roles of that, so you must manage it too.',
  keywords: ['new team', 'group of people', 'group of developers'],
  route: 'POST /workspaces/{workspace}/teams',
  toolset: 'teams',
  access: writesWorkspaceAsPerson('member', { scope: 'workspace:admin access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    name: Type.String({ minLength: 1, maxLength: 1000, description: 'Cut at 80 characters.' }),
    slug: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Made from the name unless given; it stays when the name changes.',
      }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: 1000, description: 'One line, cut at 350 characters.' }),
    ),
    visibility: Type.Optional(
      OneOf(VISIBILITIES, {
        description: 'visible unless given; a secret team is neither parent nor child.',
      }),
    ),
    parent: Type.Optional(Nullable(TeamSlug)),
    notify: Type.Optional(
      Type.Boolean({ description: 'Whether a mention sends notifications; true unless given.' }),
    ),
  }),
  output: Team,
  status: 201,

  handler: (
    { hearth, caller, workspace, write },
    { visibility = 'visible', parent = null, description = '', notify = true, ...input },
  ) =>
    write((tx) => {
      if (requireWorkspace(tx.db, workspace.id).team_creation === 'owners')
        workspace.require('owner')
      // A team can get roles on every repository of the workspace, which a token for some
      // repositories must not exceed.
      if (caller.token?.repos)
        throw forbidden(
          'scope',
          'this token is limited to certain repositories, so it cannot make a team',
        )
      const name = teamName(input.name)
      const slug = requireFreeTeamSlug(tx.db, workspace, name, input.slug)
      if (parent !== null && visibility === 'secret')
        throw invalid('parent', 'a secret team stands alone: it can have no parent')
      const above = parent === null ? null : requireParent(tx, workspace, parent, caller, null)
      const id = typeId('team', tx.now_ms)
      insertTeam(tx, {
        id,
        workspace_id: workspace.id,
        slug,
        name,
        description: oneLine(description, MAX_TEAM_DESCRIPTION_LENGTH),
        visibility,
        parent_id: above?.id ?? null,
        notify: notify ? 1 : 0,
      })
      putTeamMember(tx, {
        team_id: id,
        user_id: caller.id,
        role: 'maintainer',
        added_by: caller.id,
      })
      tx.audit({
        action: 'team.created',
        target: { kind: 'team', id, name: slug },
        workspace_id: workspace.id,
        data: { after: { name, visibility, parent: above?.slug ?? null } },
      })
      return teamRecord(hearth, requireTeam(tx.db, workspace, slug, caller), workspace, caller)
    }),
})
