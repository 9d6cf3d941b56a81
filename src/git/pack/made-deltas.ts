/**
 * Deltas that were made a short while ago: what changed last is fetched by many, each of whom has
 * the version before.
 */
export type MadeDelta = {
  /** Its own size, and it compressed. */ readonly size: number
  readonly data: Buffer
}

const MOST_BYTES = 2 << 20
const LARGEST = 1 << 17

const kept = new Map<string, MadeDelta>()
let bytes = 0

/** The two ids as one key. */
export const deltaKey = (base: Uint8Array, oids: Uint8Array, at: number): string =>
  Buffer.from(base.buffer, base.byteOffset, 20).toString('latin1') +
  Buffer.from(oids.buffer, oids.byteOffset + at, 20).toString('latin1')

export function findDelta(key: string): MadeDelta | null {
  const found = kept.get(key)
  if (found === undefined) return null
  kept.delete(key)
  kept.set(key, found)
  return found
}

/** Keeps one, in place of those that were used least lately. `data` must be its own memory. */
export function keepDelta(key: string, delta: MadeDelta): void {
  if (delta.data.length > LARGEST || kept.has(key)) return
  kept.set(key, delta)
  bytes += delta.data.length
  for (const [oldest, one] of kept) {
    if (bytes <= MOST_BYTES) return
    kept.delete(oldest)
    bytes -= one.data.length
  }
}
