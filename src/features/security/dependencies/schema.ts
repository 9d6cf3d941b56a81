/** Records of dependencies. */
import { Actor, Id, ListOf, Nullable, OneOf, Sha, Time, Type, type Static } from '#core/schema.ts'
import { ADVISORY_SEVERITIES } from '#lib/advisories/osv.ts'
import { DISMISSAL_REASONS } from '../code-scanning/schema.ts'
import { ECOSYSTEMS, type Ecosystem } from '#lib/lock-files/locked-packages.ts'

export { ADVISORY_SEVERITIES, type AdvisorySeverity } from '#lib/advisories/osv.ts'
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

export const DEPENDENCY_ALERT_STATES = ['open', 'dismissed', 'fixed'] as const
export type DependencyAlertState = (typeof DEPENDENCY_ALERT_STATES)[number]

export const DependencyAlert = Type.Object(
  {
    id: Id('dpa'),
    state: OneOf(DEPENDENCY_ALERT_STATES),
    package: Type.Object({
      type: OneOf(ECOSYSTEMS),
      name: Type.String(),
      version: Type.String({ description: 'The version that is installed.' }),
      scope: OneOf(SCOPES),
      direct: Nullable(Type.Boolean()),
    }),
    advisory: Type.Object({
      id: Type.String({ examples: ['GHSA-jfh8-c2jp-5v3q'] }),
      summary: Type.String(),
      severity: Nullable(OneOf(ADVISORY_SEVERITIES)),
      aliases: Type.Array(Type.String(), {
        description: 'Other names of the fault, such as a CVE.',
      }),
      url: Nullable(Type.String()),
    }),
    manifest: Type.String({ description: 'The path of the lock file.' }),
    fixed_in: Nullable(
      Type.String({ description: 'The first version without the fault; null when there is none.' }),
    ),
    created_at: Time,
    fixed_at: Nullable(Time),
    fixed_by: Nullable(Sha),
    dismissed_by: Nullable(Actor),
    dismissed_at: Nullable(Time),
    dismissed_reason: Nullable(OneOf(DISMISSAL_REASONS)),
    dismissed_note: Nullable(Type.String()),
    html_url: Type.String(),
  },
  {
    $id: 'DependencyAlert',
    description: 'A package of the default branch with a known vulnerability.',
  },
)
export type DependencyAlert = Static<typeof DependencyAlert>
export const DependencyAlerts = ListOf(DependencyAlert)

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

const BriefAdvisory = Type.Object({
  id: Type.String(),
  summary: Type.String(),
  severity: Nullable(OneOf(ADVISORY_SEVERITIES)),
  url: Nullable(Type.String()),
  fixed_in: Nullable(Type.String()),
})

const changedPackage = {
  type: OneOf(ECOSYSTEMS),
  name: Type.String(),
  manifest: Type.String(),
  /** Versions that only the base has. */
  before: Type.Array(Type.String()),
  /** Versions that only the head has. */
  after: Type.Array(Type.String()),
  scope: OneOf(SCOPES),
  license: Nullable(Type.String()),
}

/** A package that a pull request adds, removes or updates in one lock file. */
export const DependencyChange = Type.Object(changedPackage)
export type DependencyChange = Static<typeof DependencyChange>

export const DependencyReview = Type.Object({
  changes: Type.Array(
    Type.Object({
      ...changedPackage,
      /** What the new versions bring in. */
      opens: Type.Array(BriefAdvisory),
      /** What the old versions had. */
      mends: Type.Array(BriefAdvisory),
    }),
  ),
  left_out: Type.Integer(),
})
export type DependencyReview = Static<typeof DependencyReview>

/** Inputs shared by several operations. */
export const DependencyAlertId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of an alert.',
})
export const RefInput = Type.Optional(
  Type.String({
    maxLength: 1_000,
    description: 'A branch, tag or commit; the default branch unless given.',
  }),
)
