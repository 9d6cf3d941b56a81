import { readsPackage } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { downloadCounts } from '../download-counts.ts'
import { packageOf } from '../find-version.ts'
import { packageInputs, VersionName } from '../schema.ts'
import { findManifest, type ManifestRow } from './store-images.ts'
import { findTag, findVersion, versionById } from '../store-versions.ts'

export const openImageManifest = operation({
  name: 'open_image_manifest',
  summary: 'Read a manifest of a container image by tag or digest, byte for byte.',
  route: null,
  access: readsPackage(),
  input: Type.Object({
    ...packageInputs,
    reference: VersionName,
    counts: Type.Boolean({ description: 'Whether it is pulled, and not only looked for.' }),
  }),
  output: Type.Unsafe<ManifestRow>(Type.Object({})),

  handler: ({ hearth, db, package: grant }, { reference, counts }) => {
    const row = packageOf(db, grant)
    const tag = reference.includes(':') ? null : findTag(db, row.id, reference)
    const version = tag ? versionById(db, tag.version_id) : findVersion(db, row.id, reference)
    const digest = version?.normal_version ?? (reference.includes(':') ? reference : '')
    const manifest = version?.deleted_at ? null : findManifest(db, row.id, digest)
    if (!manifest) throw notFound(`the manifest ${reference}`)
    if (counts && version) downloadCounts(hearth).add(row.id, version.id)
    return manifest
  },
})
