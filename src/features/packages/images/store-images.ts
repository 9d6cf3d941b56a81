/** SQL for the tables `image_manifests`, `image_refs` and `image_blobs`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { PackageFilter } from '../store.ts'

export type ManifestRow = {
  readonly package_id: string
  readonly digest: string
  readonly media_type: string
  readonly bytes: Uint8Array
  readonly subject: string | null
  readonly artifact_type: string | null
  /** A JSON object. */
  readonly annotations: string | null
  readonly size_in_bytes: number
  readonly pushed_at: Timestamp
}

export const findManifest = (db: Db, package_id: string, digest: string): ManifestRow | null =>
  db.one<ManifestRow>(
    'SELECT * FROM image_manifests WHERE package_id = ? AND digest = ?',
    package_id,
    digest,
  )

/** A query of sizes by digests, which one package has in a table. */
const sizesIn =
  (table: 'image_manifests' | 'image_blobs') =>
  (db: Db, package_id: string, digests: readonly string[]): ReadonlyMap<string, number> =>
    new Map(
      db
        .all<Pick<ImageBlobRow, 'digest' | 'size_in_bytes'>>(
          `SELECT digest, size_in_bytes FROM ${table}
           WHERE package_id = ? AND digest IN (SELECT value FROM json_each(?))`,
          package_id,
          JSON.stringify(digests),
        )
        .map(({ digest, size_in_bytes }) => [digest, size_in_bytes]),
    )

/** The sizes of images by the digests of their manifests. */
export const imageSizes = sizesIn('image_manifests')

/** The sizes of layers and configurations by their digests. */
export const blobSizes = sizesIn('image_blobs')

export const hasManifest = (db: Db, package_id: string, digest: string): boolean =>
  db.one(
    'SELECT 1 FROM image_manifests WHERE package_id = ? AND digest = ?',
    package_id,
    digest,
  ) !== null

/** The versions of manifests by their digests that no tag names. */
export const listUntaggedVersions = (
  db: Db,
  package_id: string,
  digests: readonly string[],
): string[] =>
  db
    .all<{ id: string }>(
      `SELECT v.id FROM json_each(?2) d
       JOIN package_versions v ON v.package_id = ?1 AND v.normal_version = d.value
       WHERE NOT EXISTS (SELECT 1 FROM package_tags t WHERE t.version_id = v.id)`,
      package_id,
      JSON.stringify(digests),
    )
    .map(({ id }) => id)

/** Writes a manifest with what it names. */
export function putManifest(
  tx: Tx,
  row: Omit<ManifestRow, 'pushed_at'>,
  named: readonly string[],
): void {
  tx.db.run(
    `INSERT INTO image_manifests (package_id, digest, media_type, bytes, subject, artifact_type,
       annotations, size_in_bytes, pushed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (package_id, digest) DO UPDATE SET media_type = excluded.media_type`,
    row.package_id,
    row.digest,
    row.media_type,
    row.bytes,
    row.subject,
    row.artifact_type,
    row.annotations,
    row.size_in_bytes,
    tx.now,
  )
  tx.db.run(
    `INSERT OR IGNORE INTO image_refs (package_id, manifest, digest)
     SELECT ?, ?, value FROM json_each(?)`,
    row.package_id,
    row.digest,
    JSON.stringify(named),
  )
}

/** Manifests that this one names, such as those of an index, and those about it. */
const listPartsOf = (db: Db, package_id: string, digest: string): string[] =>
  db
    .all<{ digest: string }>(
      `SELECT m.digest FROM image_refs r JOIN image_manifests m
         ON m.package_id = r.package_id AND m.digest = r.digest
       WHERE r.package_id = ?1 AND r.manifest = ?2
       UNION SELECT digest FROM image_manifests WHERE package_id = ?1 AND subject = ?2`,
      package_id,
      digest,
    )
    .map((part) => part.digest)

/** Whether a manifest is no version, is named by no other one, and is about none that is left. */
const isOrphan = (db: Db, package_id: string, digest: string): boolean =>
  db.one(
    `SELECT 1 FROM image_manifests m WHERE m.package_id = ?1 AND m.digest = ?2
     AND NOT EXISTS (SELECT 1 FROM package_versions v
       WHERE v.package_id = ?1 AND v.normal_version = ?2)
     AND NOT EXISTS (SELECT 1 FROM image_refs r WHERE r.package_id = ?1 AND r.digest = ?2)
     AND (m.subject IS NULL OR NOT EXISTS (SELECT 1 FROM image_manifests s
       WHERE s.package_id = ?1 AND s.digest = m.subject))`,
    package_id,
    digest,
  ) !== null

/**
 * Removes a manifest, and with it the manifests of its platforms and its signatures that nothing
 * else needs. Their layers are unlinked by the next sweep.
 */
export function removeManifest(tx: Tx, package_id: string, digest: string): void {
  const waiting = [digest]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const parts = listPartsOf(tx.db, package_id, next)
    tx.db.run('DELETE FROM image_manifests WHERE package_id = ? AND digest = ?', package_id, next)
    waiting.push(...parts.filter((part) => isOrphan(tx.db, package_id, part)))
  }
}

/** Whether a manifest of the package names the digest. */
export const isNamedByManifest = (db: Db, package_id: string, digest: string): boolean =>
  db.one(
    'SELECT 1 FROM image_refs WHERE package_id = ? AND digest = ? LIMIT 1',
    package_id,
    digest,
  ) !== null

const MAX_REFERRERS = 1000

/** A manifest without its bytes, which may have megabytes. */
export type ReferrerRow = Omit<ManifestRow, 'bytes'> & { readonly manifest_bytes: number }

/** Manifests about another one, such as signatures. Those of deleted versions are left out. */
export const listReferrers = (
  db: Db,
  package_id: string,
  subject: string,
  artifact_type: string | null,
  limit = MAX_REFERRERS,
): ReferrerRow[] =>
  db.all<ReferrerRow>(
    `SELECT package_id, digest, media_type, subject, artifact_type, annotations, size_in_bytes,
       pushed_at, length(bytes) AS manifest_bytes
     FROM image_manifests m WHERE package_id = ?1 AND subject = ?2
     AND (?3 IS NULL OR artifact_type = ?3) AND NOT EXISTS (
       SELECT 1 FROM package_versions v WHERE v.package_id = m.package_id
       AND v.normal_version = m.digest AND v.deleted_at IS NOT NULL)
     ORDER BY pushed_at, digest LIMIT ?4`,
    package_id,
    subject,
    artifact_type,
    limit,
  )

export type ImageBlobRow = {
  readonly digest: string
  readonly sha256: string
  readonly size_in_bytes: number
}

export const findImageBlob = (db: Db, package_id: string, digest: string): ImageBlobRow | null =>
  db.one<ImageBlobRow>(
    'SELECT digest, sha256, size_in_bytes FROM image_blobs WHERE package_id = ? AND digest = ?',
    package_id,
    digest,
  )

/** Equal bytes may have several digests (SHA-256, SHA-512); they count once. */
const hasBytes = (db: Db, package_id: string, sha256: string): boolean =>
  db.one(
    'SELECT 1 FROM image_blobs WHERE sha256 = ? AND package_id = ? LIMIT 1',
    sha256,
    package_id,
  ) !== null

const addBytes = (tx: Tx, package_id: string, bytes: number): void =>
  void tx.db.run(
    'UPDATE packages SET size_in_bytes = size_in_bytes + ? WHERE id = ?',
    bytes,
    package_id,
  )

/** Links a layer to a package, whose bytes grow when it has none like it. */
export function linkBlob(tx: Tx, package_id: string, blob: ImageBlobRow): void {
  const isNew = !hasBytes(tx.db, package_id, blob.sha256)
  tx.db.run(
    `INSERT INTO image_blobs (package_id, digest, sha256, size_in_bytes, linked_at)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (package_id, digest) DO UPDATE SET linked_at = excluded.linked_at`,
    package_id,
    blob.digest,
    blob.sha256,
    blob.size_in_bytes,
    tx.now,
  )
  if (isNew) addBytes(tx, package_id, blob.size_in_bytes)
}

type UnlinkedBlob = Pick<ImageBlobRow, 'sha256' | 'size_in_bytes'> & { readonly package_id: string }

/** Takes the bytes of unlinked layers from their packages. */
function subtractBytes(tx: Tx, unlinked: readonly UnlinkedBlob[]): void {
  const gone = new Map(unlinked.map((blob) => [`${blob.package_id} ${blob.sha256}`, blob]))
  for (const { package_id, sha256, size_in_bytes } of gone.values())
    if (!hasBytes(tx.db, package_id, sha256)) addBytes(tx, package_id, -size_in_bytes)
}

export const unlinkBlob = (tx: Tx, package_id: string, digest: string): void =>
  subtractBytes(
    tx,
    tx.db.all<UnlinkedBlob>(
      `DELETE FROM image_blobs WHERE package_id = ? AND digest = ?
       RETURNING package_id, sha256, size_in_bytes`,
      package_id,
      digest,
    ),
  )

/**
 * Unlinks layers that no manifest of their package names and that were linked before a time. Returns
 * how many.
 */
export function unlinkUnusedBlobs(tx: Tx, before: Timestamp, limit: number): number {
  const unlinked = tx.db.all<UnlinkedBlob>(
    `DELETE FROM image_blobs WHERE (package_id, digest) IN (
       SELECT b.package_id, b.digest FROM image_blobs b WHERE b.linked_at < ?
       AND NOT EXISTS (SELECT 1 FROM image_refs r WHERE r.package_id = b.package_id AND r.digest = b.digest)
       LIMIT ?)
     RETURNING package_id, sha256, size_in_bytes`,
    before,
    limit,
  )
  subtractBytes(tx, unlinked)
  return unlinked.length
}

/** Packages of a workspace that have a layer. */
export const listPackagesWithBlob = (
  db: Db,
  workspace_id: string,
  digest: string,
): { name: string }[] =>
  db.all(
    `SELECT p.name FROM image_blobs b JOIN packages p ON p.id = b.package_id
     WHERE b.digest = ? AND p.workspace_id = ? AND p.deleted_at IS NULL LIMIT 20`,
    digest,
    workspace_id,
  )

/** Tags after a name, by code point. */
export const listTagNames = (db: Db, package_id: string, after: string, limit: number): string[] =>
  db
    .all<{ name: string }>(
      `SELECT t.name FROM package_tags t JOIN package_versions v ON v.id = t.version_id
       WHERE t.package_id = ? AND t.name > ? AND v.deleted_at IS NULL ORDER BY t.name LIMIT ?`,
      package_id,
      after,
      limit,
    )
    .map(({ name }) => name)

/**
 * Slugs of workspaces with images that follow a name `<workspace>/<name>`, in the order that their
 * names with a slash have. The workspace of the name itself comes first.
 */
export const listWorkspacesWithImages = (db: Db, after: string, limit: number): string[] =>
  db
    .all<{ slug: string }>(
      `SELECT a.username AS slug FROM workspaces w JOIN actors a ON a.id = w.id
       WHERE a.username || '/' >= ? AND EXISTS (
         SELECT 1 FROM packages p WHERE p.workspace_id = w.id AND p.type = 'container'
         AND p.deleted_at IS NULL AND p.version_count > 0)
       ORDER BY a.username || '/' LIMIT ?`,
      after.includes('/') ? `${after.split('/')[0]}/` : after,
      limit,
    )
    .map(({ slug }) => slug)

/** Names of images of a workspace after a name, of those that `visible` lets through. */
export const listNamesWithImages = (
  db: Db,
  workspace_id: string,
  visible: PackageFilter['visible'],
  after: string,
  limit: number,
): string[] =>
  db
    .all<{ name: string }>(
      `SELECT p.name FROM packages p
       WHERE p.workspace_id = ? AND p.type = 'container' AND p.normal_name > ?
       AND p.deleted_at IS NULL AND p.version_count > 0 AND ${visible.sql}
       ORDER BY p.normal_name LIMIT ?`,
      workspace_id,
      after,
      ...visible.params,
      limit,
    )
    .map(({ name }) => name)
