/**
 * Files that people upload, kept once under the SHA-256 of their bytes: `blobs/<two digits>/<64
 * digits>` of the data directory. A file is on disk before the row that names it, so a row never
 * names what is not there; what no row names is swept away after a day.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bytesFree, syncDirectory } from '#lib/disk.ts'
import { Refusal } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { DAY, HOUR } from '#lib/time.ts'
import type { Db } from './db.ts'
import type { KeptFiles } from './files.ts'
import type { Hearth } from './hearth.ts'
import { job } from './jobs.ts'
import { point } from './points.ts'
import { writeAs } from './write.ts'

export const BLOBS = 'blobs'
/**
 * Where bytes are while they come in; a start or a sweep finds what a stopped process left there.
 */
const INCOMING = 'tmp/blobs'

/** Whoever has rows that name blobs. */
export type BlobHolder = {
  /** Whether any row names it; asked for every blob by the sweep, so it needs an index. */
  readonly holds: (db: Db, sha256: string) => boolean
  /** Every digest that a row names. */
  readonly named: (db: Db) => Iterable<string>
}
export const blobHolders = point<BlobHolder>('core.blob_holders')

export type Blob = { readonly sha256: string; readonly size: number }

type Place = Pick<Hearth, 'settings'>

const SHA256 = /^[0-9a-f]{64}$/

/** Below `blobs`. */
const placeOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`

/**
 * The file of a blob. Gives a TypeError for what is no digest, so that no other path can be made of
 * it.
 */
export function blobPath({ settings }: Place, sha256: string): string {
  if (!SHA256.test(sha256)) throw new TypeError('a blob is named by 64 hex digits')
  return join(settings.data, BLOBS, placeOf(sha256))
}

/**
 * The same, once it is here: what only the bucket has is fetched first. Null when nobody has it;
 * gives 503 when the bucket cannot be asked.
 */
export async function localBlob(
  hearth: Place & Pick<Hearth, 'storage'>,
  sha256: string,
): Promise<string | null> {
  const path = blobPath(hearth, sha256)
  await hearth.storage.bringBlob(sha256)
  return existsSync(path) ? path : null
}

export type TakeOptions = {
  /** The most bytes that are taken; more gives 413. */
  readonly limit: number
  /**
   * How many were announced; fewer or more gives 400, because a connection that broke must not
   * leave half a file.
   */
  readonly length?: number | null
  readonly signal?: AbortSignal
}

/** How often the room on the disk is looked at. */
const LOOK_EVERY = 16 * 1024 ** 2

function requireRoom({ settings }: Place, folder: string, more: number): void {
  if (bytesFree(folder) - more >= settings.limits.disk_reserve) return
  throw new Refusal('unavailable', 'the disk of this installation has no room for this file', {
    headers: { 'retry-after': '600', connection: 'close' },
  })
}

/**
 * Takes bytes in and gives their digest, once they are on disk for good. It holds no more than one
 * piece of them in memory, and reads only as fast as the disk takes. Gives 413 over the limit, 400
 * when the bytes end early, 503 when the disk is full; then nothing is left.
 */
export async function takeBlob(
  hearth: Pick<Hearth, 'settings' | 'clock' | 'storage'>,
  bytes: AsyncIterable<Uint8Array>,
  { limit, length = null, signal }: TakeOptions,
): Promise<Blob> {
  const tooLarge = () =>
    new Refusal(
      'too_large',
      `the file is larger than the ${Math.floor(limit / 1024 ** 2)} MiB that are taken`,
      { details: { limit }, headers: { connection: 'close' } },
    )
  if (length !== null && length > limit) throw tooLarge()
  const folder = join(hearth.settings.data, INCOMING)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  requireRoom(hearth, folder, length ?? 0)
  const path = join(folder, randomToken(16))
  const file = await open(path, 'wx', 0o600)
  try {
    const hasher = new Bun.CryptoHasher('sha256')
    let size = 0
    let looked = 0
    for await (const part of bytes) {
      signal?.throwIfAborted()
      size += part.length
      if (size > limit) throw tooLarge()
      if (size - looked > LOOK_EVERY) {
        looked = size
        requireRoom(hearth, folder, 0)
      }
      hasher.update(part)
      for (let at = 0; at < part.length; )
        at += (await file.write(part, at, part.length - at)).bytesWritten
    }
    signal?.throwIfAborted()
    if (length !== null && size !== length)
      throw new Refusal('bad_request', `the file ended after ${size} of ${length} bytes`)
    const sha256 = hasher.digest('hex')
    const target = blobPath(hearth, sha256)
    const there = statSync(target, { throwIfNoEntry: false })
    if (there?.size !== size) {
      await file.sync()
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
      await rename(path, target)
      await syncDirectory(dirname(target))
    }
    // A sweep leaves young files alone; an old one that is named again is young from now on.
    const now = hearth.clock.now() / 1000
    utimesSync(target, now, now)
    hearth.storage.tookBlob(sha256)
    return { sha256, size }
  } finally {
    await file.close()
    rmSync(path, { force: true })
  }
}

/** The folder of all blobs, for the doctor: which of them rows name. */
export const keptBlobs = (hearth: Hearth): KeptFiles => ({
  folder: BLOBS,
  *named(db) {
    for (const { named } of blobHolders.all(hearth))
      for (const sha256 of named(db)) yield placeOf(sha256)
  },
})

const GRACE = DAY
/** Bytes that still come in are written to; this long without that, nobody sends them any more. */
const STALLED = HOUR

const isOlder = (path: string, now: number, age: number): boolean =>
  now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > age

const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path) : [])

/** Takes away what no row names and what never came in whole. */
export const sweepBlobs = job<null>({
  kind: 'sweep_blobs',
  every: '6h',
  run: async ({ hearth, signal }) => {
    const { data } = hearth.settings
    const now = hearth.clock.now()
    for (const name of namesIn(join(data, INCOMING)))
      if (isOlder(join(data, INCOMING, name), now, STALLED))
        rmSync(join(data, INCOMING, name), { force: true })
    const held = (db: Db, sha256: string) =>
      blobHolders.all(hearth).some(({ holds }) => holds(db, sha256))
    for (const shard of namesIn(join(data, BLOBS))) {
      if (signal.aborted) return
      const free = namesIn(join(data, BLOBS, shard)).filter(
        (name) =>
          SHA256.test(name) &&
          isOlder(join(data, BLOBS, shard, name), now, GRACE) &&
          !held(hearth.db, name),
      )
      if (free.length === 0) continue
      // Inside a transaction nobody else writes a row that names it; and whoever has just sent it
      // again made it young.
      await writeAs(hearth, null, (tx) => {
        for (const name of free) {
          const path = join(data, BLOBS, shard, name)
          if (isOlder(path, now, GRACE) && !held(tx.db, name)) unlinkSync(path)
        }
      })
    }
  },
})
