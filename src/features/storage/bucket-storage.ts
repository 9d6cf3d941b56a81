/**
 * The bucket of a forge: downloads offloaded files on demand, and tracks which files are in use. It
 * is created before the git engine, which calls it before any work on a store; `attach` adds the
 * forge afterwards.
 */
import { blobPath } from '#core/blobs.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Settings } from '#core/settings.ts'
import type { RemotePack, RemoteStorage } from '#core/storage.ts'
import { writeAs } from '#core/write.ts'
import { listOffloadedPacks } from '#git'
import { BucketError, NoSuchObject, openBucket, type Bucket } from '#lib/bucket.ts'
import { bytesFree, refusesWrites, syncDirectory } from '#lib/disk.ts'
import { SECOND, timestamp, type Clock, type Timestamp } from '#lib/time.ts'
import { existsSync, mkdirSync } from 'node:fs'
import { chmod, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { adoptStore, listRemoteBlobs, listRemotePacks } from './adopt-store.ts'
import { downloadFile } from './object-transfer.ts'
import { copyToBucket } from './copy-job.ts'
import { newIncoming } from './incoming-files.ts'
import { blobFile, keyOf, completeMarkPath, packFile } from './bucket-names.ts'
import { ownsBucket, claimBucket } from './bucket-owner.ts'
import {
  findStored,
  hasStored,
  hasOffloaded,
  isStoreNamed,
  listStored,
  removeLocalRows,
  setOffloaded,
  type StoredRow,
} from './store.ts'
import {
  waitForDownload,
  noDiskSpace,
  bucketUnreachable,
  bucketNotConfigured,
} from './unavailable.ts'

/** For this long after a failure, requests fail at once instead of waiting. */
const UNREACHABLE_PAUSE_MS = 5 * SECOND
/** The timeout of one request that a user waits for. */
const REQUEST_TIMEOUT_MS = 60 * SECOND
const MAX_ATTEMPTS = 2

export type BucketStorageOptions = {
  readonly settings: Settings
  readonly db: Db
  readonly clock: Clock
}

export class BucketStorage implements RemoteStorage {
  readonly bucket: Bucket | null
  /** The last failure; null after a success. */
  lastFailure: { readonly at: Timestamp; readonly message: string } | null = null
  /** When stores and uploaded files were last used, since the last save. */
  readonly lastUsed = new Map<string, number>()
  /** Whether this data directory owned the bucket at the last check. */
  isOwner = true
  #hearth: Hearth | null = null
  /** Stores that are known to be completely on this machine. */
  readonly #whole = new Set<string>()
  /** The number of running tasks for each store. */
  readonly #work = new Map<string, number>()
  readonly #coming = new Map<string, Promise<void>>()
  #downUntil = 0
  #met = false

  constructor(private readonly parts: BucketStorageOptions) {
    const { storage } = parts.settings
    this.bucket =
      storage === null
        ? null
        : openBucket(storage.bucket, storage.prefix, storage.s3, {
            tries: MAX_ATTEMPTS,
            timeoutMs: REQUEST_TIMEOUT_MS,
          })
  }

  attach(hearth: Hearth): void {
    this.#hearth = hearth
  }

  get address(): string | null {
    return this.bucket?.address ?? null
  }

  get #data(): string {
    return this.parts.settings.data
  }

  directory(store: string): string {
    return join(this.#data, 'repos', store)
  }

  restoreStore(store: string): Promise<void> | null {
    this.lastUsed.set(store, this.parts.clock.now())
    if (this.#whole.has(store)) return null
    if (this.#isWhole(store)) {
      if (existsSync(this.directory(store))) this.#whole.add(store)
      return null
    }
    return waitForDownload(this.#once(store, () => this.#complete(store)))
  }

  beginUse(store: string): () => void {
    this.#work.set(store, (this.#work.get(store) ?? 0) + 1)
    let over = false
    return () => {
      if (over) return
      over = true
      this.lastUsed.set(store, this.parts.clock.now())
      const left = (this.#work.get(store) ?? 1) - 1
      if (left === 0) this.#work.delete(store)
      else this.#work.set(store, left)
    }
  }

  /** Whether no task runs in a store, and none has since a time. */
  isAtRest(unit: string, since_ms: number): boolean {
    return (
      !this.#work.has(unit) && !this.#coming.has(unit) && (this.lastUsed.get(unit) ?? 0) < since_ms
    )
  }

  /** Called before packs are evicted, so that the next reader checks what is local. */
  forget(store: string): void {
    this.#whole.delete(store)
  }

  #isWhole(store: string): boolean {
    const directory = this.directory(store)
    // The store may be in the bucket if a repository uses it. The store of a readiness check, for
    // example, does not exist.
    if (!existsSync(directory)) return this.bucket === null || !isStoreNamed(this.parts.db, store)
    if (listOffloadedPacks(directory).length > 0) return false
    // Without the mark, rows may name packs that this machine never had. Without rows, the bucket
    // has no packs of the store.
    return (
      this.bucket === null ||
      existsSync(completeMarkPath(directory)) ||
      !hasStored(this.parts.db, store)
    )
  }

  /** Shares one download among all callers. */
  #once(what: string, bring: () => Promise<void>): Promise<void> {
    const under = this.#coming.get(what)
    if (under) return under
    const made = bring().finally(() => this.#coming.delete(what))
    this.#coming.set(what, made)
    made.catch(() => {})
    return made
  }

  /** Records a failure, and returns the error for the waiting callers. */
  #refusal(error: unknown, what: string): unknown {
    if (error instanceof BucketError) {
      this.recordFailure(error)
      this.#downUntil = this.parts.clock.now() + UNREACHABLE_PAUSE_MS
      this.#hearth?.log.warn('something could not be brought back from the bucket', {
        what,
        error: error.message,
      })
      return bucketUnreachable()
    }
    return refusesWrites(error) ? noDiskSpace() : error
  }

  recordFailure(error: Error): void {
    this.lastFailure = { at: timestamp(this.parts.clock.now()), message: error.message }
  }

  #requireBucket(): Bucket {
    if (this.bucket === null) throw bucketNotConfigured()
    if (this.parts.clock.now() < this.#downUntil) throw bucketUnreachable()
    return this.bucket
  }

  async #complete(store: string): Promise<void> {
    const bucket = this.#requireBucket()
    const directory = this.directory(store)
    try {
      if (!existsSync(completeMarkPath(directory))) {
        await this.adoptRemotePacks(store).catch((error: unknown) => {
          if (!(error instanceof BucketError) || !this.#hasAllKnown(store)) throw error
        })
      }
      for (const pack of listOffloadedPacks(directory)) {
        const { name, modified_ms } = pack
        const file = packFile(store, name, 'pack')
        const target = join(this.#data, file)
        await this.#fetch(bucket, keyOf(file, pack.sha256), pack, (path) =>
          this.#place(path, target, modified_ms),
        )
        await rm(join(this.#data, 'repos', store, 'objects', 'pack', `${name}.away`), {
          force: true,
        })
        await this.#noteHere(file)
      }
      this.lastFailure = null
    } catch (error) {
      throw this.#refusal(error, store)
    }
    this.#whole.add(store)
  }

  /** Whether all packs named by rows are local, so the bucket need not be read. */
  #hasAllKnown(store: string): boolean {
    return (
      existsSync(this.directory(store)) &&
      listStored(this.parts.db, store).every(
        ({ name, unneeded_at }) => unneeded_at !== null || existsSync(join(this.#data, name)),
      )
    )
  }

  /** Downloads an object to a temporary file; `settle` moves it to its place. */
  async #fetch(
    bucket: Bucket,
    key: string,
    what: { readonly size: number; readonly sha256: string },
    settle: (path: string) => Promise<void>,
  ): Promise<void> {
    const path = newIncoming(this.#data)
    if (bytesFree(dirname(path)) - what.size < this.parts.settings.limits.disk_reserve)
      throw noDiskSpace()
    try {
      await downloadFile(bucket, key, what, path)
      await settle(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  /** Updates the row for the totals; the files themselves are authoritative. */
  async #noteHere(name: string): Promise<void> {
    const hearth = this.#hearth
    if (hearth)
      await writeAs(hearth, null, (tx) => setOffloaded(tx.db, name, false)).catch(
        (error: unknown) =>
          hearth.log.warn('it was not noted that a file came back', { name, error }),
      )
  }

  async restoreBlob(sha256: string): Promise<void> {
    this.lastUsed.set(sha256, this.parts.clock.now())
    const path = blobPath(this.parts, sha256)
    if (this.bucket === null || existsSync(path)) return
    await waitForDownload(
      this.#once(sha256, async () => {
        const bucket = this.#requireBucket()
        const name = blobFile(sha256)
        try {
          const size = findStored(this.parts.db, name)?.size ?? (await bucket.sizeOf(name))
          if (size === null) return
          await this.#fetch(bucket, name, { size, sha256 }, async (from) => {
            mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
            await rename(from, path)
            await syncDirectory(dirname(path))
          })
          this.lastFailure = null
        } catch (error) {
          // A file that is missing everywhere is reported by `hearth doctor`.
          if (error instanceof NoSuchObject) return
          throw this.#refusal(error, name)
        }
        await this.#noteHere(name)
      }),
    )
  }

  blobStored(sha256: string): void {
    const hearth = this.#hearth
    if (!hearth || this.bucket === null) return
    writeAs(
      hearth,
      null,
      (tx) => void tx.enqueue(copyToBucket, { blob: sha256 }, { key: sha256 }),
    ).catch((error: unknown) => hearth.log.warn('a copy to the bucket was not begun', { error }))
  }

  offloadedPacks(store: string): readonly { readonly name: string; readonly size: number }[] {
    return listOffloadedPacks(this.directory(store))
  }

  async listPacks(store: string): Promise<readonly RemotePack[]> {
    return this.bucket === null
      ? []
      : await listRemotePacks(this.bucket, this.parts.db, this.directory(store), store)
  }

  async adoptRemotePacks(store: string): Promise<number> {
    const hearth = this.#hearth
    if (this.bucket === null || !hearth) return 0
    const found = await adoptStore(hearth, this.bucket, store, (key, what, settle) =>
      this.#fetch(this.#requireBucket(), key, what, settle),
    )
    if (found > 0) this.forget(store)
    return found
  }

  #copies(store: string, pack: string): StoredRow[] {
    return (['pack', 'idx'] as const).flatMap(
      (ending) => findStored(this.parts.db, packFile(store, pack, ending)) ?? [],
    )
  }

  hasRemoteCopy(store: string, pack: string): boolean {
    return this.bucket !== null && this.#copies(store, pack).length === 2
  }

  async restorePack(store: string, pack: string): Promise<void> {
    for (const row of this.#copies(store, pack)) {
      const target = join(this.#data, row.name)
      await this.#fetch(this.#requireBucket(), keyOf(row.name, row.sha256), row, (path) =>
        this.#place(path, target, row.modified_ms),
      )
    }
    this.#hearth?.git.closeFiles(store)
  }

  /** Moves a downloaded file of a store to its place and syncs the folder. */
  async #place(path: string, target: string, modified_ms: number): Promise<void> {
    await chmod(path, 0o444)
    await utimes(path, modified_ms / 1000, modified_ms / 1000)
    await rename(path, target)
    await syncDirectory(dirname(target))
  }

  async remoteBlobs(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return this.bucket === null || digests.length === 0
      ? new Set()
      : await listRemoteBlobs(this.bucket, this.parts.db, digests)
  }

  async ownsBucket(): Promise<boolean> {
    return this.bucket === null || (await ownsBucket(this.bucket, this.#data)) !== false
  }

  /**
   * Like `isOurs`, for writers: claims a bucket without an owner. Then all local files are copied
   * again.
   */
  async ensureOwner(): Promise<boolean> {
    const { bucket } = this
    if (bucket === null) return true
    const ours = await ownsBucket(bucket, this.#data)
    this.isOwner = ours ?? true
    this.#met = true
    if (ours !== null) return ours
    const hearth = this.#hearth
    if (hearth) await writeAs(hearth, null, (tx) => removeLocalRows(tx.db))
    await this.claimBucket()
    return true
  }

  /** Checks the owner once before the first copy. */
  async checkOwnerOnce(): Promise<void> {
    if (!this.#met) await this.ensureOwner()
  }

  async claimBucket(): Promise<void> {
    if (this.bucket !== null) await claimBucket(this.bucket, this.#data)
    this.isOwner = true
  }
}

/** Creates the storage of a forge; null without a bucket and without offloaded files. */
export const createBucketStorage = (parts: BucketStorageOptions): BucketStorage | null =>
  parts.settings.storage !== null || hasOffloaded(parts.db) ? new BucketStorage(parts) : null
