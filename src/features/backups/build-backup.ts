/**
 * Builds one backup of a data directory, whether or not a forge runs in it. It needs no forge, so
 * it runs on threads and in commands.
 */
import { takeLock } from '#core/db.ts'
import {
  BackupError,
  isOwn,
  listBackups,
  openPlace,
  writeBackup,
  type Manifest,
  type Place,
  type S3Settings,
  type Tell,
} from '#backup'
import { keyOf } from '#core/storage.ts'
import { BucketError, openBucket } from '#lib/bucket.ts'
import { dataIdentity } from '#lib/data-identity.ts'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { collectSources, type RemoteReader } from './collect-sources.ts'

export type BuildTask = {
  readonly data: string
  readonly to: string
  readonly s3: S3Settings | null
  readonly id: string
  readonly name: string | null
  readonly now: string
  readonly version: string
  readonly recipients: readonly string[]
  /** The bucket with offloaded packs; null without one. */
  readonly storage: {
    readonly bucket: string
    readonly prefix: string
    readonly s3: S3Settings
  } | null
  /** In hexadecimal. */
  readonly name_key: string
}

export type BuiltBackup = Pick<Manifest, 'totals' | 'notes'> & { readonly added_bytes: number }

/**
 * Locks backups of a data directory across processes, because one that prunes would delete what
 * another is writing.
 */
export function tryLockBackups(data: string): (() => void) | null {
  mkdirSync(join(data, 'tmp'), { recursive: true, mode: 0o700 })
  return takeLock(join(data, 'tmp', 'backup.lock'))
}

/** Like `tryLockBackups`, but throws BackupError while another process holds the lock. */
export function lockBackups(data: string): () => void {
  const release = tryLockBackups(data)
  if (!release) throw new BackupError('another backup of this forge is under way: wait for its end')
  return release
}

/** Returns a reader of offloaded files that reports failures as BackupError. */
function remoteReader(storage: BuildTask['storage']): RemoteReader | null {
  if (storage === null) return null
  const bucket = openBucket(storage.bucket, storage.prefix, storage.s3)
  return (path, sha256) => (offset, length) =>
    bucket.range(keyOf(path, sha256), offset, length).catch((error: unknown) => {
      throw error instanceof BucketError ? new BackupError(`${path}: ${error.message}`) : error
    })
}

/** What an administrator should know of a place that others write to, too. */
async function listOthers(place: Place, origin: string): Promise<string[]> {
  const others = (await listBackups(place)).filter(
    ({ manifest }) => manifest !== null && !isOwn(manifest, origin),
  )
  return others.length === 0
    ? []
    : [
        `${place.address} also has backups of another data directory (${others.length}), which are not pruned: give each forge a place of its own`,
      ]
}

/**
 * Throws BackupError for faults that a person can fix: disk space, permissions, a missing bucket.
 */
export async function buildBackup(
  task: BuildTask,
  tell: Tell,
  signal: AbortSignal,
): Promise<BuiltBackup> {
  const release = lockBackups(task.data)
  const tmp = join(task.data, 'tmp')
  const staging = join(tmp, `backup-${task.id}`)
  const clear = () => {
    for (const name of readdirSync(tmp))
      if (name.startsWith('backup-bkp_')) rmSync(join(tmp, name), { recursive: true, force: true })
  }
  try {
    clear()
    mkdirSync(staging, { recursive: true, mode: 0o700 })
    const place = openPlace(task.to, task.s3)
    const origin = dataIdentity(task.data)
    await place.sweep()
    tell({ phase: 'snapshot', files_done: 0, files_total: 0, bytes_done: 0, bytes_total: 0 })
    const gathered = collectSources(task.data, staging, {
      secrets: task.recipients.length > 0,
      elsewhere: remoteReader(task.storage),
      copied: () => signal.throwIfAborted(),
    })
    const { manifest, added_bytes } = await writeBackup(
      place,
      gathered.sources,
      {
        id: task.id,
        name: task.name,
        origin,
        made_at: task.now,
        version: task.version,
        schema: gathered.schema,
        repositories: gathered.repositories,
        notes: [...gathered.notes, ...(await listOthers(place, origin))],
        folders: gathered.folders,
        recipients: task.recipients,
        name_key: Buffer.from(task.name_key, 'hex'),
      },
      tell,
      signal,
    )
    return { totals: manifest.totals, notes: manifest.notes, added_bytes }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'SQLITE_FULL')
      throw new BackupError(`${tmp}: there is no space left for a copy of the database`)
    throw error
  } finally {
    clear()
    release()
  }
}
