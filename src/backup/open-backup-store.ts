/** Resolves the address of a store, or of one backup in it, as an operator types it. */
import { dirname } from 'node:path'
import { openDirectoryStore } from './directory-store.ts'
import { BackupError, type BackupStore } from './backup-store.ts'
import { parseS3Address, openS3Store, type S3Settings } from './s3-store.ts'

/**
 * Opens a directory, or `s3://bucket/folder`. Throws BackupError for any other URL, and when the
 * S3 keys are not set.
 */
export function openBackupStore(address: string, s3: S3Settings | null): BackupStore {
  if (!/^[a-z0-9+]+:\/\//i.test(address)) return openDirectoryStore(address)
  const { bucket, prefix } = parseS3Address(address)
  if (s3 === null)
    throw new BackupError(
      `${address}: the settings backups.s3_access_key and backups.s3_secret_key are not set`,
    )
  return openS3Store(bucket, prefix, s3)
}

/**
 * Splits `PATH` of the command line: the address of a store, or of one manifest in it
 * (`<store>/backups/<id>.json`). `id` is null for the newest backup.
 */
export function locateBackup(path: string): { address: string; id: string | null } {
  const match = /^(.*?)[/\\]?backups[/\\]([^/\\]+)\.json$/.exec(path)
  if (!match) {
    if (path.endsWith('.json'))
      throw new BackupError(
        `${path} is not at its place: ` +
          'name the folder that holds backups/ and files/, or a file of its backups/',
      )
    return { address: path, id: null }
  }
  return { address: match[1] === '' ? dirname('./x') : (match[1] ?? ''), id: match[2] ?? null }
}
