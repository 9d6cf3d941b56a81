import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs, VersionName } from '../schema.ts'
import { findManifest, type ManifestRow } from './store-images.ts'
import { findTag, findVersion, versionById } from '../store-versions.ts'

/** With the version whose pulls it counts for; null for a part of another image. */
type OpenedManifest = ManifestRow & { readonly version_id: string | null }

export const openImageManifest = operation({
  name: 'open_image_manifest',
  summary: 'Read a manifest of a container image by tag or digest, byte for byte.',
  route: null,
  access: readsPackage(),
  input: Type.Object({ ...packageInputs, reference: VersionName }),
  output: Type.Unsafe<OpenedManifest>(Type.Object({})),

  handler: ({ db, package: grant }, { reference }) => {
    const row = packageOf(db, grant)
    const tag = reference.includes(':') ? null : findTag(db, row.id, reference)
    const version = tag ? versionById(db, tag.version_id) : findVersion(db, row.id, reference)
    const digest = version?.normal_version ?? (reference.includes(':') ? reference : '')
    const manifest = version?.deleted_at ? null : findManifest(db, row.id, digest)
    if (!manifest) throw notFound(`the manifest ${reference}`)
    return { ...manifest, version_id: version?.id ?? null }
  },
})
