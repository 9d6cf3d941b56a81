/** The owner of the bucket: the data directory whose id is stored in it. */
import { NoSuchObject, type Bucket } from '#lib/bucket.ts'
import { randomToken } from '#lib/hash.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IDENTITY_FILE, OWNER_KEY } from './bucket-names.ts'

/** Reads the id of this data directory, and creates it when it is missing. */
function readIdentity(data: string): string {
  const path = join(data, IDENTITY_FILE)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const made = randomToken(24)
  writeFileSync(path, `${made}\n`, { mode: 0o600 })
  return made
}

/** Whether this data directory owns the bucket; null without an owner. Throws BucketError. */
export async function ownsBucket(bucket: Bucket, data: string): Promise<boolean | null> {
  try {
    return new TextDecoder().decode(await bucket.get(OWNER_KEY)).trim() === readIdentity(data)
  } catch (error) {
    if (error instanceof NoSuchObject) return null
    throw error
  }
}

export const claimBucket = (bucket: Bucket, data: string): Promise<void> =>
  bucket.put(OWNER_KEY, new TextEncoder().encode(`${readIdentity(data)}\n`))
