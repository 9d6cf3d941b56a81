/**
 * Recently created deltas. Many clients fetch the latest change and have the same previous version,
 * so the same delta is sent many times.
 */
export type CachedDelta = {
  /** Size of the delta before compression, in bytes. */
  readonly size: number
  /** The compressed delta. */
  readonly data: Buffer
}

const MAX_CACHE_BYTES = 2 << 20
const MAX_DELTA_BYTES = 1 << 17

/** Returns one key for the ids of base and object. */
export const deltaKey = (base: Uint8Array, oids: Uint8Array, at: number): string =>
  Buffer.from(base.buffer, base.byteOffset, 20).toString('latin1') +
  Buffer.from(oids.buffer, oids.byteOffset + at, 20).toString('latin1')

/** A least-recently-used cache of at most 2 MiB. */
export class DeltaCache {
  private readonly deltas = new Map<string, CachedDelta>()
  private bytes = 0

  get(key: string): CachedDelta | null {
    const found = this.deltas.get(key)
    if (found === undefined) return null
    this.deltas.delete(key)
    this.deltas.set(key, found)
    return found
  }

  /**
   * Adds a delta and evicts the least recently used ones. `data` must own its memory, because a
   * view would keep a larger buffer alive.
   */
  add(key: string, delta: CachedDelta): void {
    if (delta.data.length > MAX_DELTA_BYTES || this.deltas.has(key)) return
    this.deltas.set(key, delta)
    this.bytes += delta.data.length
    for (const [oldest, one] of this.deltas) {
      if (this.bytes <= MAX_CACHE_BYTES) return
      this.deltas.delete(oldest)
      this.bytes -= one.data.length
    }
  }
}
