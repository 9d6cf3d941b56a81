/** Records of packages and versions as clients see them. */
import type { PackageFacts } from '#core/access.ts'
import { higherRole, reaches, type Role } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { formatOf } from './formats/index.ts'
import { addedDownloads } from './download-counts.ts'
import type { Package, PackageFile, PackageVersion } from './schema.ts'
import type { PackageRow } from './store.ts'
import {
  findVersionName,
  listFiles,
  listTagsOfVersion,
  preloadVersionNames,
  type VersionRow,
} from './store-versions.ts'

/** The page of a package, with every part of its name in one segment. */
export const packagePageUrl = (
  site_url: string,
  workspace: string,
  { type, name }: Pick<PackageRow, 'type' | 'name'>,
): string => `${site_url}/${workspace}/-/packages/${type}/${encodeURIComponent(name)}`

const slugOf = (hearth: Hearth, row: PackageRow): string =>
  workspaceById(hearth.db, row.workspace_id)?.slug ?? 'ghost'

/** The role within a list or a record: at least read on a public package. */
export const roleOf = (facts: Pick<PackageFacts, 'role' | 'private' | 'deleted'>): Role | null =>
  higherRole(facts.role, facts.private || facts.deleted ? null : 'read')

/** Reads what the records of these packages need with one query. */
export const preloadPackageRecords = (hearth: Hearth, rows: readonly PackageRow[]): void =>
  preloadVersionNames(
    hearth.db,
    rows.flatMap(({ latest_version_id: id }) => id ?? []),
  )

export function packageRecord(hearth: Hearth, row: PackageRow, role: Role | null): Package {
  const { db } = hearth
  const { site_url } = hearth.settings
  const workspace = slugOf(hearth, row)
  const repo = row.repo_id === null ? null : repoById(db, row.repo_id)
  return {
    id: row.id,
    name: row.name,
    package_type: row.type,
    workspace,
    address: formatOf(row.type)?.address(site_url, workspace, row.name) ?? '',
    visibility: row.private === 1 ? 'private' : 'public',
    repository: repo && { id: repo.id, name: repo.name, full_name: fullNameOf(db, repo) },
    description: row.description,
    version_count: row.version_count,
    latest: row.latest_version_id === null ? null : findVersionName(db, row.latest_version_id),
    size_in_bytes: row.size_in_bytes,
    download_count: row.download_count + addedDownloads(hearth, row.id),
    inherit_access: row.inherit_access === 1,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: row.deleted_at,
    deleted_by: row.deleted_by === null ? null : actorOf(hearth, row.deleted_by),
    purge_at: row.purge_at,
    html_url: packagePageUrl(site_url, workspace, row),
    permissions: {
      read: reaches(role, 'read'),
      write: reaches(role, 'write'),
      admin: reaches(role, 'admin'),
    },
  }
}

function fileRecords(hearth: Hearth, row: PackageRow, version: VersionRow): PackageFile[] {
  const { site_url } = hearth.settings
  const workspace = slugOf(hearth, row)
  return listFiles(hearth.db, version.id).map((file) => ({
    name: file.path,
    size_in_bytes: file.size_in_bytes,
    sha256: file.sha256,
    sha512: file.sha512,
    sha1: file.sha1,
    md5: file.md5,
    download_url: formatOf(row.type)?.fileUrl(site_url, workspace, row.name, file.path) ?? null,
  }))
}

export function versionRecord(
  hearth: Hearth,
  row: PackageRow,
  version: VersionRow,
): PackageVersion {
  const isFromRun = version.run_id !== null || version.sha !== null
  return {
    id: version.id,
    version: version.version,
    package: { id: row.id, name: row.name, package_type: row.type },
    tags: listTagsOfVersion(hearth.db, version.id),
    digest: version.digest,
    size_in_bytes: version.size_in_bytes,
    files: fileRecords(hearth, row, version),
    metadata: JSON.parse(version.metadata),
    published_by: actorOf(hearth, version.published_by),
    published_from: isFromRun ? { run_id: version.run_id, sha: version.sha } : null,
    yanked: version.yanked === 1,
    deprecated: version.deprecated,
    download_count: version.download_count + addedDownloads(hearth, version.id),
    created_at: version.created_at,
    deleted_at: version.deleted_at,
    deleted_by: version.deleted_by === null ? null : actorOf(hearth, version.deleted_by),
    purge_at: version.purge_at,
  }
}
