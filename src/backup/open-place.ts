/** From what a person types to a place, and to one backup in it. */
import { dirname } from 'node:path'
import { directoryPlace } from './directory-place.ts'
import { BackupError, type Place } from './place.ts'
import { parseS3, s3Place, type S3Settings } from './s3-place.ts'

/**
 * A directory, or `s3://bucket/folder`. Gives BackupError for what is neither, or when the keys of
 * the store are not set.
 */
export function openPlace(address: string, s3: S3Settings | null): Place {
  if (!/^[a-z0-9+]+:\/\//i.test(address)) return directoryPlace(address)
  const { bucket, prefix } = parseS3(address)
  if (s3 === null)
    throw new BackupError(
      `${address}: the settings backups.s3_access_key and backups.s3_secret_key are not set`,
    )
  return s3Place(bucket, prefix, s3)
}

/**
 * `PATH` is a place, or one manifest in it (`<place>/backups/<id>.json`); `id` is null for the
 * newest.
 */
export function locateBackup(path: string): { address: string; id: string | null } {
  const match = /^(.*?)[/\\]?backups[/\\]([^/\\]+)\.json$/.exec(path)
  if (!match) {
    if (path.endsWith('.json'))
      throw new BackupError(
        `${path} is not at its place: name the folder that holds backups/ and files/, or a file of its backups/`,
      )
    return { address: path, id: null }
  }
  return { address: match[1] === '' ? dirname('./x') : (match[1] ?? ''), id: match[2] ?? null }
}
