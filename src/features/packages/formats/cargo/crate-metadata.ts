/**
 * The metadata that `cargo publish` sends before the crate, and the line of the index that is made
 * of it (https://doc.rust-lang.org/cargo/reference/registry-index.html).
 */
import { isValid, Nullable, Type, type Static } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { parseSemver } from '#lib/versions/semver.ts'

const MAX_NAME_LENGTH = 64
const MAX_DEPENDENCIES = 1_000
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

const Text = Nullable(Type.String())
const Texts = Type.Optional(Nullable(Type.Array(Type.String())))
const Features = Type.Record(Type.String(), Type.Array(Type.String()))

const CrateDependency = Type.Object({
  name: Type.String(),
  version_req: Type.String(),
  features: Type.Optional(Type.Array(Type.String())),
  optional: Type.Optional(Type.Boolean()),
  default_features: Type.Optional(Type.Boolean()),
  target: Type.Optional(Text),
  kind: Type.Optional(Text),
  registry: Type.Optional(Text),
  explicit_name_in_toml: Type.Optional(Text),
})

const CrateMetadata = Type.Object({
  name: Type.String(),
  vers: Type.String(),
  deps: Type.Array(CrateDependency, { maxItems: MAX_DEPENDENCIES }),
  features: Type.Optional(Features),
  authors: Texts,
  description: Type.Optional(Text),
  documentation: Type.Optional(Text),
  homepage: Type.Optional(Text),
  readme: Type.Optional(Text),
  keywords: Texts,
  categories: Texts,
  license: Type.Optional(Text),
  repository: Type.Optional(Text),
  links: Type.Optional(Text),
  rust_version: Type.Optional(Text),
})
export type CrateMetadata = Static<typeof CrateMetadata>

/** Throws 422 for a name that cargo refuses too. */
export function parseCrateName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH && NAME.test(name)) return name
  throw invalid(
    'name',
    `${name.slice(0, 100)} is no name of a crate: use at most 64 letters, digits, - and _, and begin with a letter`,
  )
}

/** `foo-bar` and `Foo_Bar` are one crate. */
export const normalCrateName = (name: string): string => name.toLowerCase().replaceAll('_', '-')

/** Throws 422 for metadata that is not as cargo sends it. */
export function parseCrateMetadata(text: string): CrateMetadata {
  const value = parseJsonOrNone(Buffer.from(text))
  if (value === undefined) throw invalid('body', 'the metadata of the crate is no JSON')
  if (!isValid(CrateMetadata, value))
    throw invalid('body', 'the metadata of the crate is not as cargo sends it')
  parseCrateName(value.name)
  if (!parseSemver(value.vers))
    throw invalid('vers', `${value.vers.slice(0, 100)} is no semantic version`)
  return value
}

const usesNewSyntax = (values: readonly string[]): boolean =>
  values.some((value) => value.startsWith('dep:') || value.includes('?/'))

type Dependency = CrateMetadata['deps'][number]

/** In the index `name` is what the code calls it, and `package` the crate of a renamed one. */
function indexDependency(dependency: Dependency) {
  const alias = dependency.explicit_name_in_toml ?? null
  return {
    name: alias ?? dependency.name,
    req: dependency.version_req,
    features: dependency.features ?? [],
    optional: dependency.optional ?? false,
    default_features: dependency.default_features ?? true,
    target: dependency.target ?? null,
    kind: dependency.kind ?? 'normal',
    registry: dependency.registry ?? null,
    ...(alias !== null && { package: dependency.name }),
  }
}

/** The line of a version without `yanked`, which changes. */
export function indexLine(crate: CrateMetadata, sha256: string) {
  const features = Object.entries(crate.features ?? {})
  const plain = features.filter(([, values]) => !usesNewSyntax(values))
  const extended = features.filter(([, values]) => usesNewSyntax(values))
  return {
    name: crate.name,
    vers: crate.vers,
    deps: crate.deps.map(indexDependency),
    cksum: sha256,
    features: Object.fromEntries(plain),
    ...(extended.length > 0 && { features2: Object.fromEntries(extended), v: 2 }),
    links: crate.links ?? null,
    ...(crate.rust_version != null && { rust_version: crate.rust_version }),
  }
}

/** Where the index has the file of a crate: `1/a`, `2/ab`, `3/a/abc`, `ab/cd/abcd`. */
export function indexPath(name: string): string {
  const lower = name.toLowerCase()
  if (lower.length <= 2) return `${lower.length}/${lower}`
  if (lower.length === 3) return `3/${lower.slice(0, 1)}/${lower}`
  return `${lower.slice(0, 2)}/${lower.slice(2, 4)}/${lower}`
}
