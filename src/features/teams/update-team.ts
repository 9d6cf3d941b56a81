import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { oneLine } from '#features/workspaces/index.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { Team, TeamSlug, VISIBILITIES } from './schema.ts'
import { countsOf, NO_COUNTS, setTeam, type TeamRow } from './store.ts'
import {
  requireManager,
  requireParent,
  requireTeam,
  MAX_TEAM_DESCRIPTION_LENGTH,
  teamName,
  teamRecord,
} from './teams.ts'

const audited = (row: TeamRow) => ({
  name: row.name,
  description: row.description,
  visibility: row.visibility,
  parent: row.parent_slug,
  notify: row.notify === 1,
})

export const updateTeam = operation({
  name: 'update_team',
  summary:
    'Change the name, description, visibility, parent (null: top level) or notify of a team; its slug stays. For owners and its maintainers, people only. Answers with the team.',
  keywords: ['rename a team', 'team description', 'parent team'],
  route: 'PATCH /workspaces/{workspace}/teams/{team}',
  toolset: 'teams',
  access: writesWorkspaceAsPerson('member', { scope: 'workspace:admin access:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    team: TeamSlug,
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: 'Cut at 80 characters.' }),
    ),
    description: Type.Optional(
      Type.String({ maxLength: 1000, description: 'One line, cut at 350 characters.' }),
    ),
    visibility: Type.Optional(OneOf(VISIBILITIES)),
    parent: Type.Optional(Nullable(TeamSlug)),
    notify: Type.Optional(Type.Boolean()),
  }),
  output: Team,
  annotations: { idempotent: true },

  handler: (
    { hearth, caller, workspace, write },
    { team, name, description, visibility, parent, notify },
  ) => {
    if ([name, description, visibility, parent, notify].every((value) => value === undefined)) {
      throw new Refusal(
        'invalid',
        'give at least one of name, description, visibility, parent and notify',
      )
    }
    return write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      requireManager(tx.db, workspace, row, caller)
      const secret = (visibility ?? row.visibility) === 'secret'
      const staysBelow = parent === undefined ? row.parent_id !== null : parent !== null
      if (secret && staysBelow)
        throw invalid(
          parent ? 'parent' : 'visibility',
          'a secret team stands alone: it can have no parent',
        )
      if (secret && (countsOf(tx.db, [row.id]).get(row.id) ?? NO_COUNTS).children > 0)
        throw invalid('visibility', 'a secret team stands alone: this one has child teams')
      const above =
        parent && parent !== row.parent_slug
          ? requireParent(tx, workspace, parent, caller, row)
          : null
      setTeam(tx, row.id, {
        name: name === undefined ? undefined : teamName(name),
        description:
          description === undefined ? undefined : oneLine(description, MAX_TEAM_DESCRIPTION_LENGTH),
        visibility,
        parent_id: parent === null ? null : above?.id,
        notify: notify === undefined ? undefined : notify ? 1 : 0,
      })
      const after = requireTeam(tx.db, workspace, team, caller)
      tx.audit({
        action: 'team.updated',
        target: { kind: 'team', id: row.id, name: row.slug },
        workspace_id: workspace.id,
        data: { before: audited(row), after: audited(after) },
      })
      return teamRecord(hearth, after, workspace, caller)
    })
  },
})
