/** Schemas of the roles that a package gives to people and teams itself. */
import { Actor, Nullable, OneOf, Type, type Static } from '#core/schema.ts'
import { TeamSlug } from '#features/teams/index.ts'

export const PackageRole = OneOf(['read', 'write', 'admin'] as const, {
  description: 'read installs, write publishes, admin deletes and gives access.',
})

/** Who gets a role: a person or a team. */
export const holderInputs = {
  username: Type.Optional(
    Type.String({ maxLength: 100, description: 'A member of the workspace; or give team.' }),
  ),
  team: Type.Optional(TeamSlug),
}

export const PackageAccess = Type.Object(
  {
    people: Type.Array(Type.Object({ user: Actor, username: Type.String(), role: PackageRole })),
    teams: Type.Array(Type.Object({ team: TeamSlug, name: Type.String(), role: PackageRole })),
    repository: Nullable(
      Type.String({ description: 'The repository whose roles count too, if one does.' }),
    ),
  },
  {
    $id: 'PackageAccess',
    description: 'Roles on a package beside those of owners of the workspace, who are admins.',
  },
)
export type PackageAccess = Static<typeof PackageAccess>
