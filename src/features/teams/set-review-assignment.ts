import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { findUser } from '#features/accounts/index.ts'
import { findStanding } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  reviewAssignmentOf,
  assignmentRecord,
  DEFAULT_ASSIGNMENT,
  type ReviewAssignmentRules,
} from './review-assignment.ts'
import { ALGORITHMS, Team, TeamSlug } from './schema.ts'
import { setTeam } from './store.ts'
import { requireManager, requireTeam, teamRecord } from './teams.ts'

export const setReviewAssignment = operation({
  name: 'set_review_assignment',
  summary:
    'Set whom a team asks for a review: everyone (enabled off), or count people picked in turn or by load. What is left out stays; excluded replaces the whole list. For owners and its maintainers.',
  keywords: [
    'round robin reviews',
    'automatic reviewers',
    'load balance reviews',
    'who reviews for a team',
  ],
  route: 'PUT /workspaces/{workspace}/teams/{team}/review_assignment',
  toolset: 'teams',
  access: writesWorkspaceAsPerson('member', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    team: TeamSlug,
    enabled: Type.Optional(Type.Boolean()),
    algorithm: Type.Optional(
      OneOf(ALGORITHMS, {
        description:
          'round_robin: whoever was asked least recently; load_balance: whoever has the fewest reviews waiting.',
      }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'How many people are picked; those of the team asked already count.',
      }),
    ),
    skip_busy: Type.Optional(
      Type.Boolean({ description: 'Leave out whoever has busy_at or more reviews waiting.' }),
    ),
    busy_at: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    include_child_teams: Type.Optional(Type.Boolean()),
    excluded: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
        maxItems: 1000,
        description: 'Usernames that are never picked.',
      }),
    ),
    notify_team: Type.Optional(Type.Boolean({ description: 'Also tell the rest of the team.' })),
  }),
  output: Team,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, workspace, write }, { workspace: _, team, excluded, ...fields }) =>
    write((tx) => {
      const row = requireTeam(tx.db, workspace, team, caller)
      requireManager(tx.db, workspace, row, caller)
      const before = reviewAssignmentOf(row)
      const ids = excluded?.map((username, index) => {
        const person = findUser(tx.db, username.trim().replace(/^@/, ''))
        const isMember =
          person &&
          (findStanding(tx.db, workspace.id, person.id) || before.excluded.includes(person.id))
        if (!person || !isMember)
          throw invalid(`excluded[${index}]`, `${username} does not belong to ${workspace.slug}`)
        return person.id
      })
      const change = Object.fromEntries(
        Object.entries({ ...fields, excluded: ids && [...new Set(ids)] }).filter(
          ([, value]) => value !== undefined,
        ),
      )
      const rules = { ...before, ...change } as ReviewAssignmentRules
      const changed = Object.entries(rules).filter(
        ([name, value]) =>
          JSON.stringify(value) !==
          JSON.stringify(DEFAULT_ASSIGNMENT[name as keyof ReviewAssignmentRules]),
      )
      setTeam(tx, row.id, { review_assignment: JSON.stringify(Object.fromEntries(changed)) })
      const after = requireTeam(tx.db, workspace, team, caller)
      tx.audit({
        action: 'team.review_assignment_changed',
        target: { kind: 'team', id: row.id, name: row.slug },
        workspace_id: workspace.id,
        data: { before: assignmentRecord(hearth, row), after: assignmentRecord(hearth, after) },
      })
      return teamRecord(hearth, after, workspace, caller)
    }),
})
