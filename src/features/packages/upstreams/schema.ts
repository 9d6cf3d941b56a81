/** Upstreams as clients see them. */
import { Actor, ListOf, mustBe, Nullable, OneOf, type Static, Time, Type } from '#core/schema.ts'

/** The types whose registries can be read through. */
export const UPSTREAM_TYPES = [
  'npm',
  'pypi',
  'cargo',
  'go',
  'maven',
  'container',
  'nuget',
  'rubygems',
  'composer',
] as const
export type UpstreamType = (typeof UPSTREAM_TYPES)[number]

/** Where most people's packages of a type come from. */
export const DEFAULT_UPSTREAM_URLS: Readonly<Record<UpstreamType, string>> = {
  npm: 'https://registry.npmjs.org',
  pypi: 'https://pypi.org',
  cargo: 'https://index.crates.io',
  go: 'https://proxy.golang.org',
  maven: 'https://repo.maven.apache.org/maven2',
  container: 'https://registry-1.docker.io',
  nuget: 'https://api.nuget.org/v3',
  rubygems: 'https://rubygems.org',
  composer: 'https://repo.packagist.org',
}

/** Types whose documents say when each version was published. */
export const TYPES_WITH_AGES: readonly UpstreamType[] = ['npm', 'pypi', 'cargo', 'composer']

export const isUpstreamType = (type: string): type is UpstreamType =>
  UPSTREAM_TYPES.some((one) => one === type)

const MAX_URL_LENGTH = 500
const MAX_SECRET_LENGTH = 8192
const MAX_PREFIXES = 100
const MAX_PREFIX_LENGTH = 200
const MAX_DAYS = 365
const GIB = 1024 ** 3
const MAX_BYTES = 100 * 1024 * GIB
export const DEFAULT_KEEP_DAYS = 90
export const DEFAULT_MAX_BYTES = 10 * GIB

export const UpstreamTypeInput = OneOf(UPSTREAM_TYPES, {
  description: 'The type of the registry.',
})

export const upstreamInputs = {
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'The address of the registry; at first the public one of the type.',
    }),
  ),
  username: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: '^[^:\\x00-\\x1f\\x7f]*$',
      ...mustBe('one line without colons'),
      description: 'With a secret: it is sent as a password of this user, else as a token.',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      maxLength: MAX_SECRET_LENGTH,
      pattern: '^[\\x21-\\x7e]*$',
      ...mustBe('printable ASCII characters without spaces'),
      description:
        'A token or password of the registry; stored encrypted and never shown. The stored one stays unless given; an empty text removes it.',
    }),
  ),
  reserved_prefixes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_PREFIX_LENGTH }), {
      maxItems: MAX_PREFIXES,
      description:
        'Names that begin with one of these are never asked for upstream, such as @acme/ or com.acme.',
    }),
  ),
  min_age_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_DAYS,
      description: `Versions that are younger are left out; at first 0. Only for ${TYPES_WITH_AGES.join(', ')}.`,
    }),
  ),
  keep_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: `What was not read for so long leaves the cache; at first ${DEFAULT_KEEP_DAYS}.`,
    }),
  ),
  max_bytes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BYTES,
      description:
        'The cache is never larger: what was read longest ago makes room; at first 10 GiB. A file that is larger itself is fetched for every reader.',
    }),
  ),
}

export const Upstream = Type.Object(
  {
    package_type: UpstreamTypeInput,
    workspace: Type.String({ description: 'The slug of its workspace.' }),
    address: Type.String({ description: 'What a client is given.' }),
    url: Type.String(),
    username: Nullable(Type.String()),
    has_secret: Type.Boolean(),
    reserved_prefixes: Type.Array(Type.String()),
    min_age_days: Type.Integer(),
    keep_days: Type.Integer(),
    max_bytes: Type.Integer(),
    file_count: Type.Integer({ description: 'Cached files and documents.' }),
    size_in_bytes: Type.Integer({ description: 'Of the cache.' }),
    last_used_at: Nullable(Time),
    last_error: Nullable(
      Type.String({ description: 'Why the last request failed; null when it did not.' }),
    ),
    failed_at: Nullable(Time),
    created_by: Nullable(Actor),
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'PackageUpstream',
    description: 'A registry that a workspace reads through and caches.',
  },
)
export type Upstream = Static<typeof Upstream>
export const Upstreams = Type.Object({ upstreams: Type.Array(Upstream) })

export const UpstreamPackage = Type.Object(
  {
    name: Type.String(),
    file_count: Type.Integer(),
    size_in_bytes: Type.Integer(),
    last_used_at: Time,
  },
  { $id: 'UpstreamPackage', description: 'What is cached of one package.' },
)
export type UpstreamPackage = Static<typeof UpstreamPackage>
export const UpstreamPackages = ListOf(UpstreamPackage)
