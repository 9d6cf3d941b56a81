/**
 * Identical requests share one response. While it is produced, further readers join it. After the
 * second request it is cached, framed and ready to send: small ones in memory, large ones as files,
 * within limits, least recently used first out. The key covers everything that a response depends
 * on, including the refs. So a ref update makes the old key obsolete.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { randomName } from '../store/store-files.ts'
import type { ResponseSink } from './response-stream.ts'
import { SharedResponse, type ProduceResponse, type SpoolFile } from './shared-response.ts'

export type ResponseCacheOptions = {
  /** An existing directory for the files. */
  readonly directory: string
  /**
   * The limits for files, including those being written, and for memory. With 0 nothing is written
   * to disk.
   */
  readonly diskBytes: number
  readonly memoryBytes: number
}

type CachedResponse = {
  readonly store: string
  readonly bytes: number
  readonly response: SharedResponse
}

/** Keys that were requested once and are remembered. */
const MAX_SEEN_KEYS = 4096

export class ResponseCache {
  private readonly making = new Map<
    string,
    { readonly store: string; readonly answer: SharedResponse }
  >()
  private readonly kept = new Map<string, CachedResponse>()
  private readonly seen = new Set<string>()
  private memory = 0
  /** Bytes of all files: cached, being written, and about to be opened. */
  private disk = 0
  /** The number of cached files. */
  private files = 0

  constructor(private readonly limits: ResponseCacheOptions) {}

  /**
   * Sends the response of `key` to a sink; resolves when all bytes are put. `make` produces it, and
   * returns whether to cache it. It runs only when there is no response to share. `isRepeated` says
   * that further requests are certain to come.
   */
  async respond(
    store: string,
    key: string,
    sink: ResponseSink,
    make: ProduceResponse,
    { isRepeated = false } = {},
  ): Promise<void> {
    const kept = this.touch(key)
    if (kept !== null) return await kept.response.join(sink)
    // Without files, the slowest reader would delay all others.
    const running = this.limits.diskBytes > 0 ? this.making.get(key) : undefined
    if (running?.answer.isOpen) return await running.answer.join(sink)
    // A large response is written to a file from the second request on; most are requested once.
    const spool = isRepeated || this.seen.has(key) || running !== undefined
    this.note(key)
    const answer = new SharedResponse(this.room(), spool && this.limits.diskBytes > 0)
    this.making.set(key, { store, answer })
    const joined = answer.join(sink)
    void answer.run(make).finally(() => {
      const mine = this.making.get(key)?.answer === answer
      if (mine) this.making.delete(key)
      if (mine && answer.isWhole) this.keep(store, key, answer)
      else void answer.drop()
    })
    await joined
  }

  /** Whether the response of `key` is cached or being produced. */
  has(key: string): boolean {
    return this.kept.has(key) || this.making.has(key)
  }

  /** The response of `key`, if it is cached in memory. */
  getBytes(key: string): Uint8Array | null {
    return this.touch(key)?.response.whole ?? null
  }

  /** Caches a small response that was produced elsewhere. */
  put(store: string, key: string, bytes: Uint8Array): void {
    if (!this.has(key)) this.keep(store, key, SharedResponse.of(bytes, this.room()))
  }

  /** The file of a cached response, or null. It can be opened for one minute. */
  getFile(key: string): { readonly path: string; readonly size: number } | null {
    const kept = this.touch(key)
    const path = kept?.response.handOut() ?? null
    if (!kept || path === null) return null
    const { size } = kept.response
    // The directory may have been cleared by hand; a truncated response is worse than none.
    if (statSync(path, { throwIfNoEntry: false })?.size === size) return { path, size }
    void this.remove(key, kept)
    return null
  }

  /** Whether any file is cached; otherwise there is no need to look for one. */
  get hasFiles(): boolean {
    return this.files > 0
  }

  /** Removes the responses of a store. */
  removeStore(store: string): void {
    for (const [key, one] of this.kept) if (one.store === store) void this.remove(key, one)
    for (const [key, one] of this.making) if (one.store === store) this.making.delete(key)
  }

  close(): void {
    for (const [key, one] of this.kept) void this.remove(key, one)
  }

  private touch(key: string): CachedResponse | null {
    const kept = this.kept.get(key)
    if (kept === undefined) return null
    this.kept.delete(key)
    this.kept.set(key, kept)
    return kept
  }

  private note(key: string): void {
    this.seen.delete(key)
    this.seen.add(key)
    if (this.seen.size > MAX_SEEN_KEYS)
      for (const oldest of this.seen) return void this.seen.delete(oldest)
  }

  /** The file for one response, with its limit. */
  private room(): SpoolFile {
    const most = this.limits.diskBytes / 2
    let mine = 0
    return {
      path: join(this.limits.directory, `kept-${randomName()}`),
      reserve: async (bytes) => {
        // One response gets at most half of the disk space.
        if (mine + bytes > most) return false
        mine += bytes
        this.disk += bytes
        if (this.disk > this.limits.diskBytes) await this.makeRoom()
        if (this.disk <= this.limits.diskBytes) return true
        mine -= bytes
        this.disk -= bytes
        return false
      },
      release: (bytes) => {
        mine -= bytes
        this.disk -= bytes
      },
    }
  }

  /**
   * Removes the least recently used files until the rest is within the limit, except those about to
   * be opened.
   */
  private makeRoom(): Promise<void> {
    // One round at a time: files of another round count until they are removed.
    return (this.clearing = this.clearing.then(() => this.removeOldest()))
  }

  private clearing: Promise<void> = Promise.resolve()

  private async removeOldest(): Promise<void> {
    const removals: Promise<void>[] = []
    let over = this.disk - this.limits.diskBytes
    for (const [key, one] of this.kept) {
      if (over <= 0) break
      if (one.response.path === null || one.response.isAwaited) continue
      over -= one.response.size
      removals.push(this.remove(key, one))
    }
    await Promise.all(removals)
  }

  private keep(store: string, key: string, answer: SharedResponse): void {
    const { memoryBytes } = this.limits
    if (answer.path !== null) {
      this.files++
      this.kept.set(key, { store, bytes: 0, response: answer })
      return
    }
    const bytes = answer.size + 1000
    if (bytes > memoryBytes / 8) return void answer.drop()
    this.memory += bytes
    this.kept.set(key, { store, bytes, response: answer })
    for (const [oldest, one] of this.kept) {
      if (this.memory <= memoryBytes) return
      if (one.response.path === null) void this.remove(oldest, one)
    }
  }

  private remove(key: string, { bytes, response: answer }: CachedResponse): Promise<void> {
    this.kept.delete(key)
    if (answer.path === null) this.memory -= bytes
    else this.files--
    return answer.drop()
  }
}
