import { createsPackage } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { Refusal } from '#lib/errors.ts'
import type { ImageManifest } from '../formats/container/manifest.ts'
import { requireFormat } from '../formats/index.ts'
import { nameVersion } from './image-versions.ts'
import { updateTotals } from '../lifecycle.ts'
import {
  announcePublished,
  openPackageForWrite,
  originOfToken,
} from '../publish-package-version.ts'
import { packageInputs } from '../schema.ts'
import { setPackage, type PackageRow } from '../store.ts'
import {
  blobSizes,
  imageSizes,
  isNamedByManifest,
  listUntaggedVersions,
  putManifest,
} from './store-images.ts'
import {
  findTag,
  findVersion,
  insertVersion,
  removeVersion,
  setTag,
  setVersion,
  type VersionRow,
  requireVersion,
} from '../store-versions.ts'

/** Digests that a refusal lists. */
const MAX_MISSING = 100

/** Throws 400 for a manifest that names what the package does not have. */
function requireContent(tx: Tx, row: PackageRow, { blobs, children }: ImageManifest): number {
  const digests = blobs.map(({ digest }) => digest)
  const ofBlobs = blobSizes(tx.db, row.id, digests)
  const ofImages = imageSizes(tx.db, row.id, children)
  const missing = [
    ...digests
      .filter((digest) => !ofBlobs.has(digest))
      .map((digest) => ({ code: 'MANIFEST_BLOB_UNKNOWN', digest })),
    ...children
      .filter((digest) => !ofImages.has(digest))
      .map((digest) => ({ code: 'MANIFEST_UNKNOWN', digest })),
  ]
  if (missing.length > 0)
    throw new Refusal('bad_request', 'the manifest names what was not pushed', {
      reason: missing[0]?.code ?? '',
      details: { missing: missing.slice(0, MAX_MISSING) },
    })
  const sum = (list: readonly string[], sizes: ReadonlyMap<string, number>): number =>
    list.reduce((total, digest) => total + (sizes.get(digest) ?? 0), 0)
  return sum(digests, ofBlobs) + sum(children, ofImages)
}

/** The version of a manifest, restored when it was deleted; null for a part of another one. */
function openVersion(
  tx: Tx,
  row: PackageRow,
  caller: SignedIn,
  manifest: ImageManifest,
  size_in_bytes: number,
  isTagged: boolean,
): { version: VersionRow; isNew: boolean } | null {
  const { digest } = manifest
  const there = findVersion(tx.db, row.id, digest)
  if (there) {
    if (there.deleted_at !== null)
      setVersion(tx, there.id, { deleted_at: null, deleted_by: null, purge_at: null })
    return { version: there, isNew: there.deleted_at !== null }
  }
  const isPart = isNamedByManifest(tx.db, row.id, digest) || manifest.subject !== null
  if (isPart && !isTagged) return null
  insertVersion(tx, {
    id: typeId('pkv', tx.now_ms),
    package_id: row.id,
    version: digest,
    normal_version: digest,
    prerelease: 0,
    digest,
    size_in_bytes,
    metadata: JSON.stringify(manifest.metadata),
    piece: '',
    published_by: caller.id,
    ...originOfToken(tx.hearth, tx.db, caller),
  })
  const version = findVersion(tx.db, row.id, digest)
  if (!version) throw new TypeError('the version that was just made is gone')
  return { version, isNew: true }
}

/** Moves tags to a version. Returns those that did not name it before. */
function moveTags(tx: Tx, row: PackageRow, version: VersionRow, tags: readonly string[]): string[] {
  const moved = tags.filter((tag) => findTag(tx.db, row.id, tag)?.version_id !== version.id)
  for (const tag of moved) {
    const before = findTag(tx.db, row.id, tag)
    setTag(tx, row.id, tag, version.id)
    if (before) nameVersion(tx, before.version_id)
  }
  nameVersion(tx, version.id)
  return moved
}

/** The manifests of an index are shown below it, and not as versions, unless they have a tag. */
function hideChildren(tx: Tx, row: PackageRow, children: readonly string[]): void {
  for (const id of listUntaggedVersions(tx.db, row.id, children)) removeVersion(tx, id)
}

export const putImageManifest = operation({
  name: 'put_image_manifest',
  summary: 'Publish a manifest of a container image, whose layers were pushed before.',
  route: null,
  access: createsPackage(),
  input: Type.Object({
    ...packageInputs,
    manifest: Type.Unsafe<ImageManifest>(Type.Object({})),
    tags: Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100 }),
  }),
  output: Type.Object({ tags: Type.Array(Type.String()) }),

  handler: ({ package: grant, caller, write }, { package_name, manifest, tags }) =>
    write((tx) => {
      const format = requireFormat(grant.type)
      const source = format.sourceOf(manifest.metadata)
      const row = openPackageForWrite(tx, grant, caller, format, package_name, source)
      const size_in_bytes = requireContent(tx, row, manifest) + manifest.bytes.length
      const named = [...manifest.blobs.map(({ digest }) => digest), ...manifest.children]
      putManifest(
        tx,
        {
          package_id: row.id,
          digest: manifest.digest,
          media_type: manifest.media_type,
          bytes: manifest.bytes,
          subject: manifest.subject,
          artifact_type: manifest.artifact_type,
          annotations: manifest.annotations && JSON.stringify(manifest.annotations),
          size_in_bytes,
        },
        named,
      )
      hideChildren(tx, row, manifest.children)
      const opened = openVersion(tx, row, caller, manifest, size_in_bytes, tags.length > 0)
      const moved = opened ? moveTags(tx, row, opened.version, tags) : []
      if (manifest.description !== null)
        setPackage(tx, row.id, { description: manifest.description })
      updateTotals(tx, row.id)
      if (opened && (opened.isNew || moved.length > 0))
        announcePublished(tx, row, requireVersion(tx.db, opened.version.id), moved, opened)
      return { tags }
    }),
})
