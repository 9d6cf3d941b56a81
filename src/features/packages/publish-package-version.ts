import { createsPackage, type PackageGrant } from '#core/access.ts'
import { actorId, reaches, type SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { factsOf, repoById, repoByPath, tokenRuns } from '#features/repos/index.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { packagePublished } from './events.ts'
import type { Format } from './format.ts'
import { requireFormat } from './formats/index.ts'
import { addBytesToTotals, addVersionToTotals, packageInShort, subjectOf } from './lifecycle.ts'
import { MAX_METADATA_BYTES, type Publication } from './publication.ts'
import { packageInputs } from './schema.ts'
import {
  findBygoneDigest,
  findPackage,
  insertPackage,
  putPackageRole,
  requirePackage,
  type PackageRow,
} from './store.ts'
import { findConfusableName } from './store-lists.ts'
import {
  findFile,
  findVersion,
  insertFile,
  insertVersion,
  requireVersion,
  setTag,
  setVersion,
  sumUnusedBytes,
  type VersionRow,
} from './store-versions.ts'

export type Published = {
  readonly package_id: string
  readonly version_id: string
  /** Unchanged: the same number with the same content was there. */
  readonly outcome: 'created' | 'added' | 'unchanged'
}

/** The repository of the workspace that a URL or `<owner>/<name>` in metadata names. */
function findSourceRepo(hearth: Hearth, db: Db, grant: PackageGrant, source: string | null) {
  if (source === null) return null
  const { site_url } = hearth.settings
  const text = source.replace(/^git\+/, '').replace(/\.git$/, '')
  const path = text.startsWith(`${site_url}/`) ? text.slice(site_url.length + 1) : text
  const repo = /^[^/\s]+\/[^/\s]+$/.test(path) ? repoByPath(db, path) : null
  return repo && repo.workspace_id === grant.workspace_id && repo.deleted_at === null ? repo : null
}

/**
 * The repository to which a new package is linked. A private one that the metadata names is linked
 * when the publisher is its admin. A public one is not: a link would publish the package to everyone.
 */
function chooseLink(
  tx: Tx,
  grant: PackageGrant,
  caller: SignedIn,
  source: string | null,
): { repo_id: string | null; isPrivate: boolean } {
  const own = grant.creation?.repo_id ?? null
  if (own !== null) return { repo_id: own, isPrivate: repoById(tx.db, own)?.private !== 0 }
  const named = findSourceRepo(tx.hearth, tx.db, grant, source)
  const isAdmin = named !== null && reaches(factsOf(tx.db, named, caller)?.role ?? null, 'admin')
  return { repo_id: isAdmin && named.private === 1 ? named.id : null, isPrivate: true }
}

/** Throws 409 for a name that the clients of the format would not find beside the first version's. */
function requireSameSpelling(format: Format, { name }: PackageRow, given: string): void {
  if (format.hasOneSpelling && name !== given)
    throw conflict('already_exists', `the package is called ${name}, not ${given}: use that name`)
}

/** Finds or creates the package. Throws 409 when another caller created it meanwhile. */
export function openPackageForWrite(
  tx: Tx,
  grant: PackageGrant,
  caller: SignedIn,
  format: Format,
  given: string,
  source: string | null,
): PackageRow {
  if (grant.id !== null) {
    const row = requirePackage(tx.db, grant.id)
    requireSameSpelling(format, row, given)
    return row
  }
  const name = format.parseName(given)
  const normal_name = format.normalName(name)
  const there = findPackage(tx.db, grant.workspace_id, format.type, normal_name)
  if (there) {
    // Somebody created it since access was decided. The same person may go on.
    if (there.created_by === caller.id && there.deleted_at === null) {
      requireSameSpelling(format, there, name)
      return there
    }
    throw conflict('already_exists', `somebody else has just created ${name}: try again`)
  }
  const similar = findConfusableName(tx.db, grant.workspace_id, format.type, normal_name)
  if (similar !== null)
    throw conflict(
      'already_exists',
      `${name} is too similar to ${similar}, which the workspace has already: choose another name`,
    )
  const { repo_id, isPrivate } = chooseLink(tx, grant, caller, source)
  const row = insertPackage(tx, {
    id: typeId('pkg', tx.now_ms),
    workspace_id: grant.workspace_id,
    type: format.type,
    name,
    normal_name,
    private: isPrivate ? 1 : 0,
    repo_id,
    created_by: caller.id,
  })
  if (caller.kind === 'user') putPackageRole(tx, row.id, caller.id, 'admin')
  return row
}

/** The run that a job's token belongs to. */
export const originOfToken = (hearth: Hearth, db: Db, caller: SignedIn) =>
  (caller.token === null
    ? null
    : tokenRuns
        .all(hearth)
        .map((find) => find(db, caller.token?.id ?? ''))
        .find((found) => found !== null)) ?? { run_id: null, sha: null }

const versionExists = (row: PackageRow, version: string, why: string) =>
  conflict('version_exists', `${row.name} ${version} ${why}`, { version })

function requireNumberIsFree(tx: Tx, row: PackageRow, normal: string, given: Publication): void {
  const bygone = findBygoneDigest(tx.db, row, normal)
  if (bygone !== null && bygone !== given.digest)
    throw versionExists(
      row,
      given.version,
      'was published and purged with other content: use a new number',
    )
}

function addFiles(tx: Tx, row: PackageRow, version_id: string, given: Publication): number {
  let added = 0
  for (const file of given.files) {
    const there = findFile(tx.db, row.id, file.path)
    if (there) {
      if (there.sha256 === file.sha256 && there.version_id === version_id) continue
      throw versionExists(row, given.version, `has another file ${file.path}: use a new number`)
    }
    insertFile(tx, {
      version_id,
      package_id: row.id,
      path: file.path,
      sha256: file.sha256,
      size_in_bytes: file.size,
      sha1: file.digests.sha1 ?? null,
      md5: file.digests.md5 ?? null,
      sha512: file.digests.sha512 ?? null,
      content_type: file.content_type,
    })
    added += file.size
  }
  return added
}

/** Bytes of the files that no version of the package has yet. */
const countNewBytes = (tx: Tx, row: PackageRow, { files }: Publication): number =>
  sumUnusedBytes(
    tx.db,
    row.id,
    files.map(({ sha256, size }) => ({ sha256, size_in_bytes: size })),
  )

/** What is there under the number. Throws 409 for other content and for a deleted version. */
function continueVersion(
  tx: Tx,
  row: PackageRow,
  there: VersionRow,
  given: Publication,
): Published {
  if (there.deleted_at !== null)
    throw versionExists(row, given.version, 'is deleted: restore it, or use a new number')
  const published = { package_id: row.id, version_id: there.id }
  if (!given.addsFiles) {
    if (there.digest !== given.digest)
      throw versionExists(row, given.version, 'exists with other content: use a new number')
    return { ...published, outcome: 'unchanged' }
  }
  const newBytes = countNewBytes(tx, row, given)
  const added = addFiles(tx, row, there.id, given)
  if (added === 0) return { ...published, outcome: 'unchanged' }
  setVersion(tx, there.id, {
    size_in_bytes: there.size_in_bytes + added,
    ...(Object.keys(given.metadata).length > 0 && { metadata: JSON.stringify(given.metadata) }),
    ...(given.piece !== undefined && { piece: given.piece }),
  })
  addBytesToTotals(tx, row.id, newBytes)
  return { ...published, outcome: 'added' }
}

/** Writes a version with its files and tags, and its event. */
function insertPublication(
  tx: Tx,
  row: PackageRow,
  caller: SignedIn,
  format: Format,
  given: Publication,
): Published {
  const normal_version = format.normalVersion(given.version)
  const there = findVersion(tx.db, row.id, normal_version)
  if (there) return continueVersion(tx, row, there, given)
  requireNumberIsFree(tx, row, normal_version, given)
  const newBytes = countNewBytes(tx, row, given)
  const id = typeId('pkv', tx.now_ms)
  insertVersion(tx, {
    id,
    package_id: row.id,
    version: given.version,
    normal_version,
    prerelease: format.isPrerelease(given.version) ? 1 : 0,
    digest: given.digest,
    size_in_bytes: given.files.reduce((sum, { size }) => sum + size, 0),
    metadata: JSON.stringify(given.metadata),
    piece: given.piece ?? '',
    published_by: actorId(caller) ?? caller.id,
    ...originOfToken(tx.hearth, tx.db, caller),
  })
  addFiles(tx, row, id, given)
  for (const tag of given.tags ?? []) setTag(tx, row.id, tag, id)
  const version = requireVersion(tx.db, id)
  addVersionToTotals(tx, row, version, newBytes, {
    ...(given.description != null && { description: given.description }),
    ...(given.readme_sha256 != null && { readme_sha256: given.readme_sha256 }),
  })
  announcePublished(tx, row, version, given.tags ?? [], { isNew: true })
  return { package_id: row.id, version_id: id, outcome: 'created' }
}

/** Tags of images that people take for versions; others move with every push. */
const VERSION_TAG = /^v?\d+(?:\.\d+)+$/

/** `isNew` is false where only a tag moved to a version that was there. */
export function announcePublished(
  tx: Tx,
  row: PackageRow,
  version: VersionRow,
  tags: readonly string[],
  { isNew }: { readonly isNew: boolean },
): void {
  tx.append(packagePublished, subjectOf(row), {
    package: packageInShort(row),
    version: version.version,
    version_id: version.id,
    digest: version.digest,
    tags: [...tags],
    release:
      row.type === 'container'
        ? tags.some((tag) => VERSION_TAG.test(tag))
        : isNew && version.prerelease === 0,
  })
}

export const publishPackageVersion = operation({
  name: 'publish_package_version',
  summary: 'Publish a version of a package, for the client of a registry.',
  route: null,
  access: createsPackage(),
  input: Type.Object({ ...packageInputs, publication: Type.Unsafe<Publication>(Type.Object({})) }),
  output: Type.Object({
    package_id: Type.String(),
    version_id: Type.String(),
    outcome: OneOf(['created', 'added', 'unchanged'] as const),
  }),

  handler: ({ hearth, package: grant, caller, write }, { package_name, publication }) => {
    const format = requireFormat(grant.type)
    const bytes = Buffer.byteLength(JSON.stringify(publication.metadata))
    if (bytes > MAX_METADATA_BYTES)
      throw invalid('metadata', `the metadata has ${bytes} bytes; at most 1 MiB is taken`)
    const size = publication.files.reduce((sum, file) => sum + file.size, 0)
    const source = format.sourceOf(publication.metadata)
    return write((tx) => {
      requireQuota(hearth, tx.db, grant.workspace_id, 'packages_bytes', size)
      const row = openPackageForWrite(tx, grant, caller, format, package_name, source)
      if (row.deleted_at !== null)
        throw conflict('already_exists', `${row.name} is deleted: restore it before you publish`)
      return insertPublication(tx, row, caller, format, publication)
    })
  },
})
