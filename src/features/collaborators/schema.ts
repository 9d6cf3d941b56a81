/** Records of collaborators as clients see them. */
import { Actor, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { Permissions, RoleWord } from '#features/repos/schema.ts'
import { Invitation } from '#features/workspaces/index.ts'

export const ROLE_SOURCES = ['owner', 'base', 'direct', 'team'] as const
export type RoleSource = (typeof ROLE_SOURCES)[number]
const SourceWord = OneOf(ROLE_SOURCES, {
  description:
    'Where the role comes from: ownership, base permission, a grant to the person, a team.',
})

export const Collaborator = Type.Object(
  {
    user: Actor,
    username: Type.String(),
    role: RoleWord,
    source: SourceWord,
    team: Nullable(
      Type.String({ description: 'The slug of the team that it comes from, if you can see it.' }),
    ),
    member: Type.Boolean({ description: 'Whether the person belongs to the workspace.' }),
    permissions: Permissions,
    added_at: Time,
  },
  { $id: 'Collaborator', description: 'A person with a role on a repository.' },
)
export type Collaborator = Static<typeof Collaborator>

export const CollaboratorList = Type.Object(
  {
    collaborators: Type.Array(Collaborator),
    invitations: Type.Array(Invitation, {
      description: 'Those that wait for an answer; empty for callers without admin.',
    }),
    next: Nullable(Type.String({ description: 'The page that follows.' })),
  },
  { $id: 'CollaboratorList' },
)

export const NewCollaborator = Type.Object(
  { collaborator: Nullable(Collaborator), invitation: Nullable(Invitation) },
  {
    $id: 'NewCollaborator',
    description: 'The person, when they have the role at once; otherwise the invitation.',
  },
)

export const Permission = Type.Object(
  {
    username: Type.String(),
    role: OneOf(['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const),
    source: Nullable(SourceWord),
    member: Type.Boolean(),
    permissions: Permissions,
  },
  {
    $id: 'CollaboratorPermission',
    description: 'What a person may do in a repository, and from where.',
  },
)

export const OutsideCollaborator = Type.Object(
  {
    user: Actor,
    repositories: Type.Array(Type.Object({ full_name: Type.String(), role: RoleWord })),
    two_factor_enabled: Type.Boolean(),
    added_at: Time,
  },
  {
    $id: 'OutsideCollaborator',
    description: 'A person with a role on repositories of a workspace who does not belong to it.',
  },
)
export const OutsideCollaborators = ListOf(OutsideCollaborator)
