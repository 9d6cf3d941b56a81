/** A store of backups in an S3 bucket. */
import {
  BucketError,
  NoSuchObject,
  openBucket,
  parseBucket,
  type BucketSettings,
} from '#lib/bucket.ts'
import { BackupError, MissingObjectError, type BackupStore } from './backup-store.ts'

export type S3Settings = BucketSettings

const wrap = (error: unknown): unknown =>
  error instanceof NoSuchObject
    ? new MissingObjectError(error.message)
    : error instanceof BucketError
      ? new BackupError(error.message)
      : error

const wrapErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => Promise.reject(wrap(error)))

export function openS3Store(bucket: string, prefix: string, settings: S3Settings): BackupStore {
  const objects = openBucket(bucket, prefix, settings)
  return {
    address: objects.address,
    async *list(start) {
      try {
        yield* objects.list(start)
      } catch (error) {
        throw wrap(error)
      }
    },
    put: (name, bytes) => wrapErrors(objects.put(name, bytes)),
    get: (name) => wrapErrors(objects.get(name)),
    remove: (name) => wrapErrors(objects.remove(name)),
    flush: async () => {},
    sweep: async () => {},
  }
}

/** The bucket and the prefix of `s3://bucket/prefix`. Throws BackupError for anything else. */
export function parseS3Address(address: string): { bucket: string; prefix: string } {
  const found = parseBucket(address)
  if (!found)
    throw new BackupError(
      `${JSON.stringify(address)} is no address of a bucket: it must be s3://BUCKET or s3://BUCKET/FOLDER`,
    )
  return found
}
