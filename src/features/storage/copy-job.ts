/** The job that copies files to the bucket. */
import { job } from '#core/jobs.ts'
import type { RemoteStorage } from '#core/storage.ts'
import { BucketError } from '#lib/bucket.ts'
import { copyBlob, copyStore } from './copy-to-bucket.ts'
import type { BucketStorage } from './bucket-storage.ts'

/** Retries for about two days, because each attempt takes only a few requests. */
const RETRY_DELAYS = ['5s', '30s', '2m', '5m', ...Array.from({ length: 300 }, () => '10m')]

/** Told by a member, because the class itself enqueues this job. */
const isBucketStorage = (storage: RemoteStorage): storage is BucketStorage =>
  'checkOwnerOnce' in storage

/**
 * Copies the new packs of a store, or one uploaded file. It can be repeated, because only missing
 * files are copied.
 */
export const copyToBucket = job<{ store?: string; blob?: string }>({
  kind: 'copy_to_bucket',
  queue: 'storage',
  retry: RETRY_DELAYS,
  run: async ({ hearth, signal }, { store, blob }) => {
    const { storage } = hearth
    if (!isBucketStorage(storage) || storage.bucket === null) return
    try {
      await storage.checkOwnerOnce()
      if (store !== undefined) await copyStore(hearth, storage, store, signal)
      if (blob !== undefined) await copyBlob(hearth, storage, blob, signal)
      storage.lastFailure = null
    } catch (error) {
      if (error instanceof BucketError) storage.recordFailure(error)
      throw error
    }
  },
})
