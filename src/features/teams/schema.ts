/** Records of teams as clients see them. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { RoleWord } from '#features/repos/schema.ts'

export const VISIBILITIES = ['visible', 'secret'] as const
export const ALGORITHMS = ['round_robin', 'load_balance'] as const

export const ReviewAssignment = Type.Object({
  enabled: Type.Boolean({
    description: 'Whether the team picks people; otherwise everyone in it is asked.',
  }),
  algorithm: OneOf(ALGORITHMS, {
    description: 'Whoever was asked least recently, or whoever has the fewest reviews waiting.',
  }),
  count: Type.Integer({ minimum: 1, maximum: 10, description: 'How many people are picked.' }),
  skip_busy: Type.Boolean({
    description: 'Whether people with many reviews waiting are left out.',
  }),
  busy_at: Type.Integer({ minimum: 1, maximum: 100, description: 'How many are many.' }),
  include_child_teams: Type.Boolean({
    description: 'Whether people of child teams are picked too.',
  }),
  excluded: Type.Array(Type.String(), { description: 'Usernames that are never picked.' }),
  notify_team: Type.Boolean({ description: 'Whether the rest of the team is told.' }),
})
export type ReviewAssignment = Static<typeof ReviewAssignment>

export const TeamRole = OneOf(['member', 'maintainer'] as const)
export type TeamRole = 'member' | 'maintainer'

export const Team = Type.Object(
  {
    id: Id('team'),
    workspace: Type.String(),
    slug: Type.String({ description: 'Used in the mention @<workspace>/<slug>.' }),
    name: Type.String(),
    description: Type.String(),
    visibility: OneOf(VISIBILITIES, {
      description: 'A secret team is seen by its members and by owners only.',
    }),
    parent: Nullable(Type.Object({ slug: Type.String(), name: Type.String() })),
    notify: Type.Boolean({ description: 'Whether a mention sends notifications.' }),
    review_assignment: ReviewAssignment,
    members_count: Type.Integer(),
    repos_count: Type.Integer({ description: 'Inherited ones included.' }),
    child_teams_count: Type.Integer(),
    viewer_role: Nullable(TeamRole),
    can_manage: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Team', description: 'People of a workspace under one name, with roles on repositories.' },
)
export type Team = Static<typeof Team>
export const Teams = ListOf(Team)

export const TeamMember = Type.Object(
  {
    user: Actor,
    role: TeamRole,
    state: OneOf(['active'] as const),
    added_at: Time,
    added_by: Nullable(Actor),
  },
  { $id: 'TeamMember', description: 'A person in a team.' },
)
export type TeamMember = Static<typeof TeamMember>

export const TeamRepo = Type.Object(
  {
    id: Id('rep'),
    full_name: Type.String(),
    private: Type.Boolean(),
    role: RoleWord,
    inherited_from: Nullable(
      Type.String({ description: 'The slug of the team above that it comes from.' }),
    ),
  },
  { $id: 'TeamRepository', description: 'A repository with the role that a team gives on it.' },
)
export type TeamRepo = Static<typeof TeamRepo>

export const TeamSlug = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The slug of a team.',
})
