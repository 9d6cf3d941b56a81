/**
 * The bucket of a forge: brings back what is only there, and knows what is in use. Made before the
 * engine, which asks it before any work on a store; `join` gives it the forge afterwards.
 */
import { blobPath } from '#core/blobs.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Settings } from '#core/settings.ts'
import type { DistantPack, Storage } from '#core/storage.ts'
import { writeAs } from '#core/write.ts'
import { listAway } from '#git'
import { BucketError, NoSuchObject, openBucket, type Bucket } from '#lib/bucket.ts'
import { bytesFree, refusesWrites, syncDirectory } from '#lib/disk.ts'
import { SECOND, timestamp, type Clock, type Timestamp } from '#lib/time.ts'
import { existsSync, mkdirSync } from 'node:fs'
import { chmod, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { adoptStore, blobsIn, lookAt } from './adopt.ts'
import { fetchInto } from './carry.ts'
import { copyToBucket } from './jobs.ts'
import { newIncoming } from './incoming.ts'
import { blobFile, keyOf, markOf, packFile } from './names.ts'
import { isOwner, takeBucket } from './owner.ts'
import {
  findStored,
  hasStored,
  isAnyAway,
  isStoreNamed,
  listStored,
  removeHere,
  setAway,
  type StoredRow,
} from './store.ts'
import { forAsker, full, gone, unset } from './waiting.ts'

/** After it could not be reached, nobody waits for it for so long. */
const DOWN_MS = 5 * SECOND
/** One request of those that people wait for. */
const PATIENCE_MS = 60 * SECOND
const TRIES = 2

export type KeeperParts = { readonly settings: Settings; readonly db: Db; readonly clock: Clock }

export class Keeper implements Storage {
  readonly bucket: Bucket | null
  /** The last thing that went wrong, until something goes well. */
  trouble: { readonly at: Timestamp; readonly message: string } | null = null
  /**
   * When stores (`repos/<store>`) and uploaded files were last asked for, since that was written
   * down.
   */
  readonly used = new Map<string, number>()
  /** Whether the bucket was ours when that was last asked. */
  known = true
  #hearth: Hearth | null = null
  /** Stores of which all is known to be here. */
  readonly #whole = new Set<string>()
  /** Work under way by store. */
  readonly #work = new Map<string, number>()
  readonly #coming = new Map<string, Promise<void>>()
  #downUntil = 0
  #met = false

  constructor(private readonly parts: KeeperParts) {
    const { storage } = parts.settings
    this.bucket =
      storage === null
        ? null
        : openBucket(storage.bucket, storage.prefix, storage.s3, {
            tries: TRIES,
            patience: PATIENCE_MS,
          })
  }

  join(hearth: Hearth): void {
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

  ready(store: string): Promise<void> | null {
    this.used.set(store, this.parts.clock.now())
    if (this.#whole.has(store)) return null
    if (this.#isWhole(store)) {
      if (existsSync(this.directory(store))) this.#whole.add(store)
      return null
    }
    return forAsker(this.#once(store, () => this.#complete(store)))
  }

  begin(store: string): () => void {
    this.#work.set(store, (this.#work.get(store) ?? 0) + 1)
    let over = false
    return () => {
      if (over) return
      over = true
      this.used.set(store, this.parts.clock.now())
      const left = (this.#work.get(store) ?? 1) - 1
      if (left === 0) this.#work.delete(store)
      else this.#work.set(store, left)
    }
  }

  /** Whether nobody is at work in a store, or has been since a moment. */
  isAtRest(unit: string, since_ms: number): boolean {
    return !this.#work.has(unit) && !this.#coming.has(unit) && (this.used.get(unit) ?? 0) < since_ms
  }

  /** Its packs are about to leave: whoever asks from now on looks. */
  forget(store: string): void {
    this.#whole.delete(store)
  }

  #isWhole(store: string): boolean {
    const directory = this.directory(store)
    // The bucket knows it, if anybody does; what no repository uses, such as the store that
    // readiness asks for, nobody has.
    if (!existsSync(directory)) return this.bucket === null || !isStoreNamed(this.parts.db, store)
    if (listAway(directory).length > 0) return false
    // Without the mark, rows may name packs that this machine never had; without rows the bucket
    // has none.
    return this.bucket === null || existsSync(markOf(directory)) || !hasStored(this.parts.db, store)
  }

  /** One bringing back for all who ask meanwhile. */
  #once(what: string, bring: () => Promise<void>): Promise<void> {
    const under = this.#coming.get(what)
    if (under) return under
    const made = bring().finally(() => this.#coming.delete(what))
    this.#coming.set(what, made)
    made.catch(() => {})
    return made
  }

  /** Notes what went wrong, and gives it in words for whoever waits. */
  #refusal(error: unknown, what: string): unknown {
    if (error instanceof BucketError) {
      this.failed(error)
      this.#downUntil = this.parts.clock.now() + DOWN_MS
      this.#hearth?.log.warn('something could not be brought back from the bucket', {
        what,
        error: error.message,
      })
      return gone()
    }
    return refusesWrites(error) ? full() : error
  }

  failed(error: Error): void {
    this.trouble = { at: timestamp(this.parts.clock.now()), message: error.message }
  }

  #requireBucket(): Bucket {
    if (this.bucket === null) throw unset()
    if (this.parts.clock.now() < this.#downUntil) throw gone()
    return this.bucket
  }

  async #complete(store: string): Promise<void> {
    const bucket = this.#requireBucket()
    const directory = this.directory(store)
    try {
      if (!existsSync(markOf(directory))) {
        await this.adopt(store).catch((error: unknown) => {
          if (!(error instanceof BucketError) || !this.#hasAllKnown(store)) throw error
        })
      }
      for (const pack of listAway(directory)) {
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
      this.trouble = null
    } catch (error) {
      throw this.#refusal(error, store)
    }
    this.#whole.add(store)
  }

  /** Whether every pack that a row names is here, so that the bucket need not be asked. */
  #hasAllKnown(store: string): boolean {
    return (
      existsSync(this.directory(store)) &&
      listStored(this.parts.db, store).every(
        ({ name, unneeded_at }) => unneeded_at !== null || existsSync(join(this.#data, name)),
      )
    )
  }

  /** Fetches an object beside its place; `settle` puts it there. */
  async #fetch(
    bucket: Bucket,
    key: string,
    what: { readonly size: number; readonly sha256: string },
    settle: (path: string) => Promise<void>,
  ): Promise<void> {
    const path = newIncoming(this.#data)
    if (bytesFree(dirname(path)) - what.size < this.parts.settings.limits.disk_reserve) throw full()
    try {
      await fetchInto(bucket, key, what, path)
      await settle(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  /** A note for the sums; the files themselves tell the truth. */
  async #noteHere(name: string): Promise<void> {
    const hearth = this.#hearth
    if (hearth)
      await writeAs(hearth, null, (tx) => setAway(tx.db, name, false)).catch((error: unknown) =>
        hearth.log.warn('it was not noted that a file came back', { name, error }),
      )
  }

  async bringBlob(sha256: string): Promise<void> {
    this.used.set(sha256, this.parts.clock.now())
    const path = blobPath(this.parts, sha256)
    if (this.bucket === null || existsSync(path)) return
    await forAsker(
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
          this.trouble = null
        } catch (error) {
          // What nobody has is for the doctor.
          if (error instanceof NoSuchObject) return
          throw this.#refusal(error, name)
        }
        await this.#noteHere(name)
      }),
    )
  }

  tookBlob(sha256: string): void {
    const hearth = this.#hearth
    if (!hearth || this.bucket === null) return
    writeAs(
      hearth,
      null,
      (tx) => void tx.enqueue(copyToBucket, { blob: sha256 }, { key: sha256 }),
    ).catch((error: unknown) => hearth.log.warn('a copy to the bucket was not begun', { error }))
  }

  awayOf(store: string): readonly { readonly name: string; readonly size: number }[] {
    return listAway(this.directory(store))
  }

  async look(store: string): Promise<readonly DistantPack[]> {
    return this.bucket === null
      ? []
      : await lookAt(this.bucket, this.parts.db, this.directory(store), store)
  }

  async adopt(store: string): Promise<number> {
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

  hasCopy(store: string, pack: string): boolean {
    return this.bucket !== null && this.#copies(store, pack).length === 2
  }

  async renew(store: string, pack: string): Promise<void> {
    for (const row of this.#copies(store, pack)) {
      const target = join(this.#data, row.name)
      await this.#fetch(this.#requireBucket(), keyOf(row.name, row.sha256), row, (path) =>
        this.#place(path, target, row.modified_ms),
      )
    }
    this.#hearth?.git.letGo(store)
  }

  /** Gives a file of a store its name, for good. */
  async #place(path: string, target: string, modified_ms: number): Promise<void> {
    await chmod(path, 0o444)
    await utimes(path, modified_ms / 1000, modified_ms / 1000)
    await rename(path, target)
    await syncDirectory(dirname(target))
  }

  async blobsThere(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return this.bucket === null || digests.length === 0
      ? new Set()
      : await blobsIn(this.bucket, this.parts.db, digests)
  }

  async isOurs(): Promise<boolean> {
    return this.bucket === null || (await isOwner(this.bucket, this.#data)) !== false
  }

  /**
   * The same, for those who write there: whoever comes first has it. What is here is copied anew to
   * one that nobody had.
   */
  async own(): Promise<boolean> {
    const { bucket } = this
    if (bucket === null) return true
    const ours = await isOwner(bucket, this.#data)
    this.known = ours ?? true
    this.#met = true
    if (ours !== null) return ours
    const hearth = this.#hearth
    if (hearth) await writeAs(hearth, null, (tx) => removeHere(tx.db))
    await this.claim()
    return true
  }

  /** Before anything is copied there, it is seen whose it is. */
  async meet(): Promise<void> {
    if (!this.#met) await this.own()
  }

  async claim(): Promise<void> {
    if (this.bucket !== null) await takeBucket(this.bucket, this.#data)
    this.known = true
  }
}

/** The bucket of a forge; null where none is set and nothing is in one. */
export const makeKeeper = (parts: KeeperParts): Keeper | null =>
  parts.settings.storage !== null || isAnyAway(parts.db) ? new Keeper(parts) : null
