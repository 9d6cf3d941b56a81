/** Events of packages. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Id, Nullable, Type } from '#core/schema.ts'

const PackageInShort = Type.Object({
  id: Id('pkg'),
  package_type: Type.String(),
  name: Type.String(),
})

export const packagePublished = event(
  'package.published',
  Type.Object({
    package: PackageInShort,
    version: Type.String(),
    version_id: Id('pkv'),
    digest: Type.String(),
    tags: Type.Array(Type.String()),
    release: Type.Boolean({
      description:
        'Whether it is a new version for everyone: no prerelease or snapshot, and of images one with a version number as its tag.',
    }),
  }),
  ({ package: { package_type, name }, version }, by) =>
    `${by} published ${name} ${version} (${package_type})`,
)

export const packageDeleted = event(
  'package.deleted',
  Type.Object({
    package: PackageInShort,
    version: Nullable(Type.String({ description: 'Null when the whole package was deleted.' })),
    versions: Type.Array(Type.String(), { description: 'At most 100 of the deleted versions.' }),
    purge_at: Type.String(),
  }),
  ({ package: { package_type, name }, version }, by) =>
    version === null
      ? `${by} deleted the package ${name} (${package_type})`
      : `${by} deleted ${name} ${version} (${package_type})`,
)

export const events = [packagePublished, packageDeleted]
