/** Records of workspaces as clients see them. */
import { THEMES } from '#features/accounts/index.ts'
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const BASE_PERMISSIONS = ['none', 'read', 'write', 'admin'] as const
export type BasePermission = (typeof BASE_PERMISSIONS)[number]
export const BasePermission = Type.Enum(BASE_PERMISSIONS, {
  type: 'string',
  description: 'What every member gets on each repository.',
})

export const WorkspaceRoleName = Type.Enum(['member', 'owner'], { type: 'string' })

const basics = {
  id: Id('wsp'),
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  created_at: Time,
  member_count: Type.Integer(),
  base_permission: BasePermission,
}

/** The response of creating and updating a workspace. */
export const WorkspaceBasics = Type.Object(basics, {
  $id: 'WorkspaceBasics',
  description: 'A workspace in short.',
})
export type WorkspaceBasics = Static<typeof WorkspaceBasics>

export const Workspace = Type.Object(
  {
    ...basics,
    team_creation: OneOf(['members', 'owners'] as const, { description: 'Who may create teams.' }),
    package_creation: OneOf(['members', 'owners'] as const, {
      description: 'Who may create packages.',
    }),
    members_can_create_public_repositories: Type.Boolean(),
    members_can_create_private_repositories: Type.Boolean(),
    members_can_change_repo_visibility: Type.Boolean(),
    members_can_delete_repositories: Type.Boolean(),
    members_can_invite_outside_collaborators: Type.Boolean(),
    two_factor_requirement_enabled: Type.Boolean(),
    memory_review: Type.Boolean({
      description:
        'Whether what agents remember is used only after a day, or once a person kept it.',
    }),
    secret_scanning_required: Type.Boolean({
      description: 'Whether every repository is searched for secrets.',
    }),
    push_protection_required: Type.Boolean({
      description: 'Whether every repository refuses pushes that add a known form of secret.',
    }),
    html_url: Type.String(),
    avatar_url: Type.String(),
    repositories_count: Type.Integer(),
    role: WorkspaceRoleName,
  },
  { $id: 'Workspace', description: 'A workspace with the standing of the caller in it.' },
)
export type Workspace = Static<typeof Workspace>
export const Workspaces = ListOf(Workspace)

export const Member = Type.Object(
  {
    user: Actor,
    role: WorkspaceRoleName,
    two_factor_enabled: Nullable(Type.Boolean({ description: 'Shown to owners only.' })),
    teams_count: Type.Integer(),
    joined_at: Time,
    invited_by: Nullable(Actor),
  },
  { $id: 'Member', description: 'A person in a workspace.' },
)
export type Member = Static<typeof Member>
export const Members = ListOf(Member)

/** The account of a token or sign-in. */
export const CurrentUser = Type.Object(
  {
    kind: OneOf(['user', 'workspace', 'agent'] as const),
    id: Type.String(),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar_url: Type.String(),
    html_url: Type.String(),
    bio: Nullable(Type.String()),
    company: Nullable(Type.String()),
    location: Nullable(Type.String()),
    website: Nullable(Type.String()),
    pronouns: Nullable(Type.String()),
    email: Nullable(
      Type.String({ description: 'The primary address; null for agents and workspaces.' }),
    ),
    verified: Type.Boolean({
      description: 'Whether the address is confirmed; true for agents and workspaces.',
    }),
    private_email: Type.Boolean(),
    time_zone: Nullable(Type.String()),
    language: Nullable(Type.String()),
    theme: Nullable(
      OneOf(THEMES, { description: 'The theme of the website; null is not chosen.' }),
    ),
    locale: Nullable(
      Type.String({ description: 'The language of the website; null follows the browser.' }),
    ),
    two_factor_enabled: Type.Boolean(),
    site_admin: Type.Boolean(),
    created_at: Time,
    updated_at: Time,
    workspaces: Type.Array(
      Type.Object({
        id: Id('wsp'),
        slug: Type.String(),
        name: Type.String(),
        role: WorkspaceRoleName,
        two_factor_required: Type.Boolean(),
      }),
    ),
    agent: Nullable(
      Type.Object({
        id: Id('agt'),
        name: Type.String(),
        repo: Type.String(),
        pull: Nullable(Type.Integer()),
        on_behalf_of: Type.Object({ id: Id('usr'), username: Type.String() }),
      }),
    ),
    token: Nullable(
      Type.Object({
        id: Id('tok'),
        name: Type.String(),
        kind: OneOf(['user', 'workspace', 'agent'] as const),
        scopes: Nullable(Type.Array(Type.String())),
        repos: Nullable(Type.Array(Type.String())),
        expires_at: Nullable(Time),
      }),
    ),
  },
  {
    $id: 'CurrentUser',
    description: 'The account that a token or sign-in belongs to, and its workspaces.',
  },
)
export type CurrentUser = Static<typeof CurrentUser>
