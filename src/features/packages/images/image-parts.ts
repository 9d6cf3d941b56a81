/** What the page of an image shows of one version: its platforms, and what is attached to it. */
import type { Db } from '#core/db.ts'
import { Nullable, OneOf, Type, type Static } from '#core/schema.ts'
import { isObject } from '#lib/json-value.ts'
import { textOf } from '../formats/json.ts'
import type { PackageRow } from '../store.ts'
import { findManifest, imageSizes, listReferrers } from './store-images.ts'
import type { VersionRow } from '../store-versions.ts'

export const ImageParts = Type.Object({
  artifact_type: Nullable(Type.String()),
  platforms: Type.Array(
    Type.Object({ digest: Type.String(), name: Type.String(), size_in_bytes: Type.Integer() }),
  ),
  referrers: Type.Array(
    Type.Object({
      digest: Type.String(),
      kind: OneOf(['signature', 'sbom', 'provenance', 'other']),
      artifact_type: Nullable(Type.String()),
      size_in_bytes: Type.Integer(),
      pushed_at: Type.String(),
    }),
  ),
})
export type ImageParts = Static<typeof ImageParts>

const MAX_SHOWN = 100

/** By the types that cosign, notation, syft, trivy, oras and BuildKit write. */
function kindOf(type: string | null): ImageParts['referrers'][number]['kind'] {
  const text = (type ?? '').toLowerCase()
  if (/spdx|cyclonedx|syft|sbom/.test(text)) return 'sbom'
  if (/in-toto|slsa|provenance|attestation/.test(text)) return 'provenance'
  return /signature|cosign|notary|sigstore/.test(text) ? 'signature' : 'other'
}

/** Such as linux/arm64/v8. */
function platformName(value: unknown): string {
  const platform = isObject(value) ? value : {}
  const parts = [platform.os, platform.architecture, platform.variant].map(textOf)
  return parts.filter((part) => part !== null).join('/')
}

function listPlatforms(db: Db, package_id: string, metadata: unknown): ImageParts['platforms'] {
  const manifests =
    isObject(metadata) && Array.isArray(metadata.manifests) ? metadata.manifests : []
  const platforms = manifests.slice(0, MAX_SHOWN).flatMap((manifest: unknown) => {
    const digest = isObject(manifest) ? textOf(manifest.digest) : null
    if (digest === null || !isObject(manifest)) return []
    return [{ digest, name: platformName(manifest.platform) }]
  })
  const sizes = imageSizes(
    db,
    package_id,
    platforms.map(({ digest }) => digest),
  )
  return platforms.map((one) => ({ ...one, size_in_bytes: sizes.get(one.digest) ?? 0 }))
}

export const imageParts = (db: Db, row: PackageRow, version: VersionRow): ImageParts => ({
  artifact_type: findManifest(db, row.id, version.normal_version)?.artifact_type ?? null,
  platforms: listPlatforms(db, row.id, JSON.parse(version.metadata)),
  referrers: listReferrers(db, row.id, version.normal_version, null, MAX_SHOWN).map(
    ({ digest, artifact_type, size_in_bytes, pushed_at }) => ({
      digest,
      kind: kindOf(artifact_type),
      artifact_type,
      size_in_bytes,
      pushed_at,
    }),
  ),
})
