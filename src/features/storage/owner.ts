/** Which data directory has the bucket: the one whose name is in it. */
import { NoSuchObject, type Bucket } from '#lib/bucket.ts'
import { randomToken } from '#lib/hash.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IDENTITY, OWNER } from './names.ts'

/** The name of this data directory, made when there is none. */
function identityOf(data: string): string {
  const path = join(data, IDENTITY)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const made = randomToken(24)
  writeFileSync(path, `${made}\n`, { mode: 0o600 })
  return made
}

/** Null when nobody has it yet. Gives BucketError. */
export async function isOwner(bucket: Bucket, data: string): Promise<boolean | null> {
  try {
    return new TextDecoder().decode(await bucket.get(OWNER)).trim() === identityOf(data)
  } catch (error) {
    if (error instanceof NoSuchObject) return null
    throw error
  }
}

export const takeBucket = (bucket: Bucket, data: string): Promise<void> =>
  bucket.put(OWNER, new TextEncoder().encode(`${identityOf(data)}\n`))
