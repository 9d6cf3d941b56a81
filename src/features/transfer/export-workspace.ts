/**
 * Writes one workspace as an archive, in the format of backups: a database with its rows, and the
 * object stores.
 */
import { localBlob } from '#core/blobs.ts'
import { copyDatabase, openDatabase, transaction, type DatabaseHandle } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { migrate, migrations } from '#core/migrate.ts'
import {
  BackupError,
  listBackups,
  writeBackup,
  type Manifest,
  type Place,
  type Source,
  type Tell,
} from '#backup'
import { snapshotStore, linkOrCopyFile } from '#git'
import { notFound } from '#lib/errors.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { timestamp } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  listNamedActors,
  readSnapshot,
  listBlobsOfWorkspace,
  listConfirmedEmails,
  copyRows,
  countReposOfWorkspace,
  findWorkspaceActor,
  insertActorRow,
  insertPlaceholderUser,
  listStoresOfWorkspace,
} from './store.ts'

export const DATABASE_FILE = 'workspace.db'

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => statSync(join(root, name)).isFile())

/**
 * Links the files of object stores into the staging folder, so that nothing can delete them. Returns
 * the stores that are missing.
 */
async function linkStores(
  hearth: Hearth,
  stores: readonly string[],
  staging: string,
): Promise<string[]> {
  const missing: string[] = []
  for (const store of stores) {
    // Offloaded packs are downloaded and linked at once, before they can be evicted again.
    await hearth.git.ensureLocal(store)
    if (!snapshotStore(join(hearth.settings.data, 'repos', store), join(staging, 'repos', store)))
      missing.push(store)
  }
  return missing
}

/** Copies the rows of a workspace as they are at one moment. */
const copyWorkspace = (
  source: DatabaseHandle,
  target: DatabaseHandle,
  workspace_id: string,
  now: string,
) =>
  readSnapshot(source, () =>
    transaction(target, () => {
      for (const actor of listNamedActors(source, workspace_id)) {
        insertActorRow(target, actor)
        if (actor.kind === 'user')
          insertPlaceholderUser(target, actor.id, listConfirmedEmails(source, actor.id), now)
      }
      return {
        rows: copyRows(source, target, workspace_id, { mapped: new Map(), nobody: new Set() }),
        stores: listStoresOfWorkspace(source, workspace_id),
        repositories: countReposOfWorkspace(source, workspace_id),
        blobs: listBlobsOfWorkspace(source, workspace_id),
      }
    }),
  )

/** Lists the files of the archive, and the uploaded files that are missing. */
async function collectFiles(
  hearth: Hearth,
  stores: readonly string[],
  blobs: readonly string[],
  staging: string,
): Promise<{ sources: Source[]; missing: string[] }> {
  const sources: Source[] = [
    { path: DATABASE_FILE, file: join(staging, DATABASE_FILE), compress: true, immutable: false },
  ]
  const missing: string[] = []
  for (const store of stores) {
    const directory = join(staging, 'repos', store)
    for (const name of filesBelow(directory))
      sources.push({
        path: `repos/${store}/${name}`,
        file: join(directory, name),
        compress: false,
        immutable: false,
      })
  }
  for (const sha256 of blobs) {
    const file = await localBlob(hearth, sha256)
    const linked = join(staging, 'blobs', sha256)
    if (file !== null && linkOrCopyFile(file, linked))
      sources.push({ path: `blobs/${sha256}`, file: linked, compress: false, immutable: false })
    else missing.push(`blobs/${sha256}`)
  }
  return { sources, missing }
}

/** Throws 404 for a missing workspace, and BackupError when the destination is not empty. */
export async function exportWorkspace(
  hearth: Hearth,
  slug: string,
  place: Place,
  tell: Tell,
  signal: AbortSignal,
): Promise<{ manifest: Manifest; rows: Record<string, number> }> {
  const workspace = findWorkspaceActor(hearth.db, slug)
  if (!workspace) throw notFound(`the workspace ${slug}`)
  for await (const { name } of place.list(''))
    throw new BackupError(`${place.address} is not empty: it holds ${name}`)
  const { data, version, backups } = hearth.settings
  const now = timestamp(hearth.clock.now())
  const staging = join(data, 'tmp', `export-${workspace.id}`)
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  const path = join(staging, 'made.db')
  const target = openDatabase({ path })
  const source = openDatabase({ path: join(data, 'hearth.db'), readonly: true })
  try {
    await linkStores(hearth, listStoresOfWorkspace(source, workspace.id), staging)
    migrate(target, now)
    const { rows, stores, repositories, blobs } = copyWorkspace(source, target, workspace.id, now)
    const missing = await linkStores(hearth, stores, staging)
    target.close()
    copyDatabase(path, join(staging, DATABASE_FILE))
    const present = stores.filter((store) => !missing.includes(store))
    const { sources, missing: missingBlobs } = await collectFiles(hearth, present, blobs, staging)
    const notes = [...missing, ...missingBlobs].map(
      (name) => `${name} is missing: run hearth doctor`,
    )
    const { manifest } = await writeBackup(
      place,
      sources,
      {
        id: typeId('bkp', hearth.clock.now()),
        name: `workspace ${slug}`,
        made_at: now,
        version,
        schema: migrations.at(-1)?.name ?? '',
        repositories,
        notes,
        folders: [],
        recipients: backups.recipients,
        name_key: hmacSha256(installationKey(data), 'names of encrypted parts of backups'),
      },
      tell,
      signal,
    )
    return { manifest, rows }
  } finally {
    source.close()
    rmSync(staging, { recursive: true, force: true })
  }
}

/**
 * Returns the manifest of an archive. Throws BackupError when there is none, or when it is a backup
 * of a whole forge.
 */
export async function requireArchive(place: Place): Promise<Manifest> {
  const [found] = await listBackups(place)
  if (!found) throw new BackupError(`${place.address} holds no archive`)
  if (found.manifest === null) throw new BackupError(found.fault ?? `${place.address} is damaged`)
  if (!found.manifest.name?.startsWith('workspace '))
    throw new BackupError(
      `${place.address} holds backups of a whole forge: hearth backup restore takes them`,
    )
  return found.manifest
}
