/**
 * Writes one workspace as an archive: a place like that of backups, with a database of its own and
 * the object stores.
 */
import { localBlob } from '#core/blobs.ts'
import { copyDatabase, openDatabase, transaction } from '#core/db.ts'
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
import { freezeStore, holdFile } from '#git'
import { notFound } from '#lib/errors.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { installationKey } from '#lib/installation-key.ts'
import { timestamp } from '#lib/time.ts'
import { typeId } from '#lib/typeid.ts'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  actorsNamed,
  atOneMoment,
  blobsOfWorkspace,
  confirmedOf,
  copyRows,
  countReposOfWorkspace,
  findWorkspaceActor,
  insertActorRow,
  insertShadow,
  storesOfWorkspace,
} from './store.ts'

export const DATABASE = 'workspace.db'

const filesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => statSync(join(root, name)).isFile())

/**
 * Gives 404 for a workspace that is not there, BackupError for a place that holds anything already.
 */
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
    const freeze = async (stores: readonly string[]): Promise<string[]> => {
      const gone: string[] = []
      for (const store of stores) {
        // What is elsewhere comes back first, and is held before anybody can take it away again.
        await hearth.git.ready(store)
        if (!freezeStore(join(data, 'repos', store), join(staging, 'repos', store)))
          gone.push(store)
      }
      return gone
    }
    await freeze(storesOfWorkspace(source, workspace.id))
    migrate(target, now)
    const { rows, stores, repositories, blobs } = atOneMoment(source, () =>
      transaction(target, () => {
        for (const actor of actorsNamed(source, workspace.id)) {
          insertActorRow(target, actor)
          if (actor.kind === 'user')
            insertShadow(target, actor.id, confirmedOf(source, actor.id), now)
        }
        return {
          rows: copyRows(source, target, workspace.id, { mapped: new Map(), nobody: new Set() }),
          stores: storesOfWorkspace(source, workspace.id),
          repositories: countReposOfWorkspace(source, workspace.id),
          blobs: blobsOfWorkspace(source, workspace.id),
        }
      }),
    )
    const missing = await freeze(stores)
    target.close()
    copyDatabase(path, join(staging, DATABASE))
    const sources: Source[] = [
      { path: DATABASE, file: join(staging, DATABASE), compress: true, immutable: false },
    ]
    for (const store of stores.filter((one) => !missing.includes(one))) {
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
      const held = join(staging, 'blobs', sha256)
      if (file !== null && holdFile(file, held))
        sources.push({ path: `blobs/${sha256}`, file: held, compress: false, immutable: false })
      else missing.push(`blobs/${sha256}`)
    }
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
        notes: missing.map((name) => `${name} is missing: run hearth doctor`),
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

/** The archive of a place. Gives BackupError when it holds none, or a backup of a whole forge. */
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
