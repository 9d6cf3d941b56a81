/** Records of dependencies. */
import { ListOf, Nullable, OneOf, Type, type Static } from '#core/schema.ts'
import { ECOSYSTEMS, type Ecosystem } from '#lib/lock-files/locked-packages.ts'

export { ECOSYSTEMS, type Ecosystem } from '#lib/lock-files/locked-packages.ts'
/** The names by which people know the ecosystems. */
export const ECOSYSTEM_NAMES: Readonly<Record<Ecosystem, string>> = {
  npm: 'npm',
  cargo: 'Cargo',
  golang: 'Go',
  pypi: 'PyPI',
  gem: 'RubyGems',
  composer: 'Composer',
  maven: 'Maven',
  nuget: 'NuGet',
  hex: 'Hex',
  pub: 'Pub',
  swift: 'Swift',
}

export const SCOPES = ['runtime', 'development'] as const

export const Dependency = Type.Object(
  {
    type: OneOf(ECOSYSTEMS, { description: 'The ecosystem, as package URLs spell it.' }),
    name: Type.String(),
    version: Type.String(),
    scope: OneOf(SCOPES),
    manifest: Type.String({ description: 'The path of the lock file.' }),
    direct: Nullable(
      Type.Boolean({
        description: 'Whether the project itself asks for it; null when the files do not say.',
      }),
    ),
    license: Nullable(Type.String({ description: 'As the lock file tells it.' })),
  },
  { $id: 'Dependency', description: 'A package that a repository uses, by its lock files.' },
)
export type Dependency = Static<typeof Dependency>
export const Dependencies = ListOf(Dependency)

/** The lock files of a commit, for its page. */
export const LockFiles = Type.Object({
  files: Type.Array(
    Type.Object({
      path: Type.String(),
      packages: Type.Integer(),
      /** Why it cannot be read. */
      fault: Nullable(Type.String()),
    }),
  ),
})
export type LockFiles = Static<typeof LockFiles>

/** Inputs shared by several operations. */
export const RefInput = Type.Optional(
  Type.String({
    maxLength: 1_000,
    description: 'A branch, tag or commit; the default branch unless given.',
  }),
)
