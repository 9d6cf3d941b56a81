/** What several operations share: the latest version, totals, deletion, restoring and purging. */
import { actorId, type Caller } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { DAY, timestamp, type Timestamp } from '#lib/time.ts'
import { packageDeleted } from './events.ts'
import { formatOf } from './formats/index.ts'
import { requirePackage, setPackage, type PackageChange, type PackageRow } from './store.ts'
import {
  countVersionRows,
  countFreedBytes,
  findActiveVersion,
  findNewestVersion,
  findTag,
  listActiveVersionNames,
  listBytesOfVersions,
  markVersionsDeleted,
  setVersion,
  sumBytesOfPackage,
  sumUnusedBytes,
  versionById,
  type VersionSummary,
  type VersionRow,
} from './store-versions.ts'

/** How many days a deleted package or version can be restored. */
export const RESTORABLE_DAYS = 30
/** The sweep deletes files so long after their last row. */
const SWEEP_DELAY_DAYS = 1

/** The subject of an event. Readers of the repository see the packages that give them a role. */
export const subjectOf = (row: PackageRow) => ({
  workspace_id: row.workspace_id,
  repo_id: row.inherit_access === 1 ? row.repo_id : null,
})

export const packageInShort = ({ id, type, name }: PackageRow) => ({
  id,
  package_type: type,
  name,
})

/**
 * The highest version that is no prerelease, else the newest; of images the tag `latest` first. A yanked
 * one only when all are, because clients do not choose it.
 */
export function chooseLatest(tx: Tx, row: PackageRow): VersionSummary | null {
  if (row.type === 'container') return chooseLatestImage(tx, row)
  const compare = formatOf(row.type)?.compareVersions
  const all = listActiveVersionNames(tx.db, row.id)
  const offered = all.filter(({ yanked }) => yanked === 0)
  const versions = offered.length > 0 ? offered : all
  const stable = versions.filter(({ prerelease }) => !prerelease)
  if (stable.length === 0 || !compare) return versions.at(-1) ?? null
  return stable.reduce((best, version) =>
    compare(version.normal_version, best.normal_version) >= 0 ? version : best,
  )
}

function chooseLatestImage(tx: Tx, row: PackageRow): VersionSummary | null {
  const tagged = findTag(tx.db, row.id, 'latest')
  const version = tagged === null ? null : findActiveVersion(tx.db, tagged.version_id)
  return version ?? findNewestVersion(tx.db, row.id)
}

/** The latest version once `added` is there beside the others, of which the latest was known. */
function latestWith(tx: Tx, row: PackageRow, added: VersionSummary): VersionSummary | null {
  const compare = formatOf(row.type)?.compareVersions
  if (row.type === 'container' || !compare) return chooseLatest(tx, row)
  const latest =
    row.latest_version_id === null ? null : findActiveVersion(tx.db, row.latest_version_id)
  if (latest === null || latest.yanked === 1) return added
  if (added.prerelease !== latest.prerelease) return added.prerelease ? latest : added
  return added.prerelease || compare(added.normal_version, latest.normal_version) >= 0
    ? added
    : latest
}

/**
 * Writes the totals of a package after a version was published, which has `bytes` that no other has,
 * and what it says of the package. The other versions are not read, because a package may have
 * thousands.
 */
export function addVersionToTotals(
  tx: Tx,
  row: PackageRow,
  version: VersionSummary,
  bytes: number,
  said: Pick<PackageChange, 'description' | 'readme_sha256'>,
): void {
  setPackage(tx, row.id, {
    ...said,
    latest_version_id: latestWith(tx, row, version)?.id ?? null,
    version_count: row.version_count + 1,
    size_in_bytes: row.size_in_bytes + bytes,
  })
}

/** The same after files were added to a version that was there. */
export function addBytesToTotals(tx: Tx, package_id: string, bytes: number): void {
  const { size_in_bytes } = requirePackage(tx.db, package_id)
  setPackage(tx, package_id, { size_in_bytes: size_in_bytes + bytes })
}

/** Writes the latest version, the number of versions and the bytes again, after any change. */
export function updateTotals(tx: Tx, package_id: string): PackageRow {
  const row = requirePackage(tx.db, package_id)
  setPackage(tx, package_id, {
    latest_version_id: chooseLatest(tx, row)?.id ?? null,
    version_count: countVersionRows(tx.db, package_id, 'active'),
    // The bytes of images are those of their layers, and change with these (`linkBlob`).
    ...(row.type !== 'container' && { size_in_bytes: sumBytesOfPackage(tx.db, package_id) }),
  })
  return requirePackage(tx.db, package_id)
}

/** The same after a tag has moved, which decides about the latest version of images only. */
export const updateAfterTag = (tx: Tx, row: PackageRow): void =>
  setPackage(
    tx,
    row.id,
    row.type === 'container' ? { latest_version_id: chooseLatestImage(tx, row)?.id ?? null } : {},
  )

/** The same after a version was yanked or is offered again. Only the latest can make another latest. */
export function updateAfterYank(tx: Tx, row: PackageRow, version: VersionRow): void {
  const isLatestAsBefore = version.yanked === 1 && version.id !== row.latest_version_id
  setPackage(
    tx,
    row.id,
    isLatestAsBefore ? {} : { latest_version_id: chooseLatest(tx, row)?.id ?? null },
  )
}

/**
 * The same after versions or files were deleted that retention does not keep, of which the latest
 * version is none. What is left is not read again, because a large package is cleared in many writes.
 */
export function subtractTotals(
  tx: Tx,
  package_id: string,
  { versions, stored }: { versions: number; stored: Parameters<typeof sumUnusedBytes>[2] },
): void {
  const { version_count, size_in_bytes } = requirePackage(tx.db, package_id)
  setPackage(tx, package_id, {
    version_count: version_count - versions,
    size_in_bytes: size_in_bytes - sumUnusedBytes(tx.db, package_id, stored),
  })
}

export function auditPackage(
  tx: Tx,
  action: string,
  row: PackageRow,
  data: { before?: unknown; after?: unknown } & Record<string, unknown> = {},
): void {
  tx.audit({
    action,
    target: { kind: 'package', id: row.id, name: `${row.type}:${row.name}` },
    workspace_id: row.workspace_id,
    repo_id: row.repo_id,
    data,
  })
}

const MAX_LISTED_VERSIONS = 100

const purgeTime = (tx: Tx): Timestamp => timestamp(tx.now_ms + RESTORABLE_DAYS * DAY)

/** When the bytes of something that is purged at a time are off the disk. */
export const freedTime = (purge_at: Timestamp): Timestamp =>
  timestamp(Date.parse(purge_at) + SWEEP_DELAY_DAYS * DAY)

/** Deletes a package with its versions. They can be restored until `purge_at`. */
export function markPackageDeleted(tx: Tx, row: PackageRow, caller: Caller | null): PackageRow {
  const purge_at = purgeTime(tx)
  const deleted_by = caller && actorId(caller)
  const versions = listActiveVersionNames(tx.db, row.id)
  markVersionsDeleted(tx, row.id, deleted_by, purge_at)
  setPackage(tx, row.id, { deleted_at: tx.now, deleted_by, purge_at })
  tx.append(packageDeleted, subjectOf(row), {
    package: packageInShort(row),
    version: null,
    versions: versions.slice(-MAX_LISTED_VERSIONS).map(({ version }) => version),
    purge_at,
  })
  auditPackage(tx, 'package.deleted', row, {
    after: { purge_at, freed_bytes: countFreedBytes(tx.db, { package_id: row.id }) },
  })
  return requirePackage(tx.db, row.id)
}

function announceVersionDeleted(
  tx: Tx,
  row: PackageRow,
  version: string,
  purge_at: Timestamp,
): void {
  tx.append(packageDeleted, subjectOf(row), {
    package: packageInShort(row),
    version,
    versions: [version],
    purge_at,
  })
}

/** Deletes versions that no retention rule keeps. Rules always keep the latest one. */
export function markVersionsExpired(
  tx: Tx,
  row: PackageRow,
  versions: readonly Pick<VersionRow, 'id' | 'version'>[],
): void {
  const purge_at = purgeTime(tx)
  const stored = listBytesOfVersions(
    tx.db,
    versions.map(({ id }) => id),
  )
  for (const { id, version } of versions) {
    setVersion(tx, id, { deleted_at: tx.now, deleted_by: null, purge_at })
    announceVersionDeleted(tx, row, version, purge_at)
  }
  subtractTotals(tx, row.id, { versions: versions.length, stored })
  auditPackage(tx, 'package.versions_expired', row, {
    versions: versions.map(({ version }) => version),
    after: { purge_at },
  })
}

/** Deletes one version; the last one takes the package along. */
export function markVersionDeleted(
  tx: Tx,
  row: PackageRow,
  version: VersionRow,
  caller: Caller | null,
): void {
  if (row.version_count <= 1) {
    markPackageDeleted(tx, row, caller)
    return
  }
  const purge_at = purgeTime(tx)
  const deleted_by = caller && actorId(caller)
  const stored = listBytesOfVersions(tx.db, [version.id])
  setVersion(tx, version.id, { deleted_at: tx.now, deleted_by, purge_at })
  subtractTotals(tx, row.id, { versions: 1, stored })
  if (version.id === row.latest_version_id)
    setPackage(tx, row.id, { latest_version_id: chooseLatest(tx, row)?.id ?? null })
  announceVersionDeleted(tx, row, version.version, purge_at)
  auditPackage(tx, 'package.version_deleted', row, {
    version: version.version,
    after: { purge_at, freed_bytes: countFreedBytes(tx.db, { version_id: version.id }) },
  })
}

export const requireVersionRow = (tx: Tx, id: string): VersionRow => {
  const row = versionById(tx.db, id)
  if (!row) throw new TypeError('the version is gone')
  return row
}
