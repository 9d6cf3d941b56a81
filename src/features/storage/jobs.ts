/** The jobs that carry files to the bucket. */
import { job } from '#core/jobs.ts'
import { BucketError } from '#lib/bucket.ts'
import { copyBlob, copyStore } from './copy.ts'
import { Keeper } from './keeper.ts'

/**
 * A bucket that is away for a day is no reason to give up; each try of a store is a few requests.
 */
const RETRY = ['5s', '30s', '2m', '5m', ...Array.from({ length: 300 }, () => '10m')]

/**
 * Copies what is new of one store, or one uploaded file. Only what is missing there goes out, so
 * that it can begin anew at any time.
 */
export const copyToBucket = job<{ store?: string; blob?: string }>({
  kind: 'copy_to_bucket',
  lane: 'storage',
  retry: RETRY,
  run: async ({ hearth, signal }, { store, blob }) => {
    const { storage } = hearth
    if (!(storage instanceof Keeper) || storage.bucket === null) return
    try {
      await storage.meet()
      if (store !== undefined) await copyStore(hearth, storage, store, signal)
      if (blob !== undefined) await copyBlob(hearth, storage, blob, signal)
      storage.trouble = null
    } catch (error) {
      if (error instanceof BucketError) storage.failed(error)
      throw error
    }
  },
})
