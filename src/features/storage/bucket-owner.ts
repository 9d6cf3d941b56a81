/** The owner of the bucket: the data directory whose id is stored in it. */
import { NoSuchObject, type Bucket } from '#lib/bucket.ts'
import { dataIdentity } from '#lib/data-identity.ts'
import { OWNER_KEY } from './bucket-names.ts'

/** Whether this data directory owns the bucket; null without an owner. Throws BucketError. */
export async function ownsBucket(bucket: Bucket, data: string): Promise<boolean | null> {
  try {
    return new TextDecoder().decode(await bucket.get(OWNER_KEY)).trim() === dataIdentity(data)
  } catch (error) {
    if (error instanceof NoSuchObject) return null
    throw error
  }
}

export const claimBucket = (bucket: Bucket, data: string): Promise<void> =>
  bucket.put(OWNER_KEY, new TextEncoder().encode(`${dataIdentity(data)}\n`))
