/** Schemas of packages. */
import {
  Actor,
  FreeForm,
  Id,
  ListOf,
  Nullable,
  OneOf,
  Time,
  toolRecord,
  Type,
  WorkspaceSlug,
  type Static,
} from '#core/schema.ts'

export const PACKAGE_TYPES = [
  'container',
  'npm',
  'cargo',
  'maven',
  'nuget',
  'rubygems',
  'composer',
  'pypi',
  'generic',
  'go',
] as const
export type PackageType = (typeof PACKAGE_TYPES)[number]

const TYPE_NAMES: Readonly<Record<string, string>> = {
  container: 'Container',
  npm: 'npm',
  cargo: 'Cargo',
  maven: 'Maven',
  nuget: 'NuGet',
  rubygems: 'RubyGems',
  composer: 'Composer',
  pypi: 'PyPI',
  generic: 'Generic',
  go: 'Go',
}

/** The name of a registry, which is the same in every language. */
export const typeName = (type: string): string => TYPE_NAMES[type] ?? type

/** What a path may say for a type. */
const TYPE_ALIASES: ReadonlyMap<string, PackageType> = new Map([['docker', 'container']])

/** The type that a text names; null for none. */
export const parsePackageType = (text: string): PackageType | null =>
  TYPE_ALIASES.get(text) ?? PACKAGE_TYPES.find((type) => type === text) ?? null

export const PackageTypeName = OneOf([...PACKAGE_TYPES, 'docker'] as const, {
  description: 'The type of its registry; docker stands for container.',
})

export const PackageTypeOutput = OneOf(PACKAGE_TYPES)

export const PackageName = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'The name without its workspace, such as @acme/site or com.acme:site.',
})

export const VersionName = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'The number of a version; of an image, a tag or a digest.',
})

/** The inputs of every operation on one package. */
export const packageInputs = {
  workspace: WorkspaceSlug,
  package_type: PackageTypeName,
  package_name: PackageName,
}

export const StateInput = Type.Optional(
  OneOf(['active', 'deleted', 'all'] as const, {
    description: 'active unless given; deleted ones are for admins of the package.',
  }),
)

export const Package = Type.Object(
  {
    id: Id('pkg'),
    name: Type.String(),
    package_type: PackageTypeOutput,
    workspace: Type.String({ description: 'The slug of its workspace.' }),
    address: Type.String({ description: 'What a client is given.' }),
    visibility: OneOf(['public', 'private']),
    repository: Nullable(
      Type.Object({ id: Id('rep'), name: Type.String(), full_name: Type.String() }),
    ),
    description: Nullable(Type.String()),
    version_count: Type.Integer(),
    latest: Nullable(Type.String({ description: 'The latest version.' })),
    size_in_bytes: Type.Integer(),
    download_count: Type.Integer(),
    inherit_access: Type.Boolean({
      description: 'Whether people have the roles that they have in the linked repository.',
    }),
    created_at: Time,
    updated_at: Time,
    deleted_at: Nullable(Time),
    deleted_by: Nullable(Actor),
    purge_at: Nullable(Time),
    html_url: Type.String(),
    permissions: Type.Object({
      read: Type.Boolean(),
      write: Type.Boolean(),
      admin: Type.Boolean(),
    }),
  },
  {
    $id: 'Package',
    description: 'Something that a workspace publishes in versions.',
    ...toolRecord({ follows: ['html_url'] }),
  },
)
export type Package = Static<typeof Package>
export const Packages = ListOf(Package)

export const PackageFile = Type.Object(
  {
    name: Type.String(),
    size_in_bytes: Type.Integer(),
    sha256: Type.String(),
    sha512: Nullable(Type.String()),
    sha1: Nullable(Type.String()),
    md5: Nullable(Type.String()),
    download_url: Nullable(Type.String()),
  },
  { $id: 'PackageFile', description: 'A file of a version, with its digests in hex digits.' },
)
export type PackageFile = Static<typeof PackageFile>

export const PackageVersion = Type.Object(
  {
    id: Id('pkv'),
    version: Type.String(),
    package: Type.Object({
      id: Id('pkg'),
      name: Type.String(),
      package_type: PackageTypeOutput,
    }),
    tags: Type.Array(Type.String(), { description: 'Tags of images, dist-tags of npm.' }),
    digest: Type.String(),
    size_in_bytes: Type.Integer(),
    files: Type.Array(PackageFile),
    metadata: FreeForm({ description: 'As published.' }),
    published_by: Actor,
    published_from: Nullable(
      Type.Object({ run_id: Nullable(Type.String()), sha: Nullable(Type.String()) }),
    ),
    yanked: Type.Boolean(),
    deprecated: Nullable(Type.String({ description: 'What clients tell whoever installs it.' })),
    download_count: Type.Integer(),
    created_at: Time,
    deleted_at: Nullable(Time),
    deleted_by: Nullable(Actor),
    purge_at: Nullable(Time),
  },
  { $id: 'PackageVersion', description: 'One version of a package.' },
)
export type PackageVersion = Static<typeof PackageVersion>
export const PackageVersions = ListOf(PackageVersion)

const freed = {
  freed_bytes: Type.Integer({ description: 'Bytes that nothing else needs.' }),
  freed_at: Type.String({
    format: 'date-time',
    description: 'When these bytes are off the disk, at the latest.',
  }),
}
export const DeletedPackage = Type.Object(
  { ...Package.properties, ...freed },
  { $id: 'DeletedPackage', description: 'A deleted package and what its purge frees.' },
)
export const DeletedPackageVersion = Type.Object(
  { ...PackageVersion.properties, ...freed },
  { $id: 'DeletedPackageVersion', description: 'A deleted version and what its purge frees.' },
)
