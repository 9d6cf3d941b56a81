/**
 * Makes one backup of a data directory, whether or not a forge runs in it. Knows no running forge:
 * it works on threads and in commands.
 */
import { takeLock } from '#core/db.ts'
import {
  BackupError,
  openPlace,
  writeBackup,
  type Manifest,
  type S3Settings,
  type Tell,
} from '#backup'
import { keyOf } from '#core/storage.ts'
import { BucketError, openBucket } from '#lib/bucket.ts'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gather, type Elsewhere } from './gather.ts'

export type CreateTask = {
  readonly data: string
  readonly to: string
  readonly s3: S3Settings | null
  readonly id: string
  readonly name: string | null
  readonly now: string
  readonly version: string
  readonly recipients: readonly string[]
  /** The bucket that packs may be in, and in it only; null when there is none. */
  readonly storage: {
    readonly bucket: string
    readonly prefix: string
    readonly s3: S3Settings
  } | null
  /** As hex digits. */
  readonly name_key: string
}

export type Created = Pick<Manifest, 'totals' | 'notes'> & { readonly added_bytes: number }

/**
 * One at a time for each data directory, in whatever process: one that clears a place would take
 * away what another is adding.
 */
export function tryLock(data: string): (() => void) | null {
  mkdirSync(join(data, 'tmp'), { recursive: true, mode: 0o700 })
  return takeLock(join(data, 'tmp', 'backup.lock'))
}

/** The same, with a BackupError while another holds it. */
export function lockBackups(data: string): () => void {
  const release = tryLock(data)
  if (!release) throw new BackupError('another backup of this forge is under way: wait for its end')
  return release
}

/** Reads what is in the bucket, with its refusals in the words of a backup. */
function elsewhereOf(storage: CreateTask['storage']): Elsewhere | null {
  if (storage === null) return null
  const bucket = openBucket(storage.bucket, storage.prefix, storage.s3)
  return (path, sha256) => (offset, length) =>
    bucket.range(keyOf(path, sha256), offset, length).catch((error: unknown) => {
      throw error instanceof BucketError ? new BackupError(`${path}: ${error.message}`) : error
    })
}

/** Gives BackupError for what a person can mend: no space, no rights, no such bucket. */
export async function createBackup(
  task: CreateTask,
  tell: Tell,
  signal: AbortSignal,
): Promise<Created> {
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
    await place.sweep()
    tell({ phase: 'snapshot', files_done: 0, files_total: 0, bytes_done: 0, bytes_total: 0 })
    const gathered = gather(task.data, staging, {
      secrets: task.recipients.length > 0,
      elsewhere: elsewhereOf(task.storage),
      copied: () => signal.throwIfAborted(),
    })
    const { manifest, added_bytes } = await writeBackup(
      place,
      gathered.sources,
      {
        id: task.id,
        name: task.name,
        made_at: task.now,
        version: task.version,
        schema: gathered.schema,
        repositories: gathered.repositories,
        notes: gathered.notes,
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
