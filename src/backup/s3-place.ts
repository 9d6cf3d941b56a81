/** A place for backups in a bucket of anything that speaks S3. */
import {
  BucketError,
  NoSuchObject,
  openBucket,
  parseBucket,
  type BucketSettings,
} from '#lib/bucket.ts'
import { BackupError, Missing, type Place } from './place.ts'

export type S3Settings = BucketSettings

const wrap = (error: unknown): unknown =>
  error instanceof NoSuchObject
    ? new Missing(error.message)
    : error instanceof BucketError
      ? new BackupError(error.message)
      : error

const wrapped = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => Promise.reject(wrap(error)))

export function s3Place(bucket: string, prefix: string, settings: S3Settings): Place {
  const place = openBucket(bucket, prefix, settings)
  return {
    address: place.address,
    async *list(start) {
      try {
        yield* place.list(start)
      } catch (error) {
        throw wrap(error)
      }
    },
    put: (name, bytes) => wrapped(place.put(name, bytes)),
    get: (name) => wrapped(place.get(name)),
    remove: (name) => wrapped(place.remove(name)),
    settle: async () => {},
    sweep: async () => {},
  }
}

/** The bucket and the prefix of `s3://bucket/prefix`. Gives BackupError for anything else. */
export function parseS3(address: string): { bucket: string; prefix: string } {
  const found = parseBucket(address)
  if (!found)
    throw new BackupError(
      `${JSON.stringify(address)} is no address of a bucket: it must be s3://BUCKET or s3://BUCKET/FOLDER`,
    )
  return found
}
