/**
 * Filters of the paths that a commit changes against its first parent (gitformat-commit-graph,
 * "Bloom Filter Index" and "Bloom Filter Data"): they may say yes for a path that was not touched,
 * never no for one that was.
 */

/** Version 1 of the hash, seven bits for each path, ten bits of room for each: what git writes. */
export const FILTER_SETTINGS = { version: 1, hashes: 7, bitsPerPath: 10 } as const
/** Commits that change more have a filter that says yes to everything. */
const MAX_PATHS = 512
const SEEDS = [0x293ae76f, 0x7e646e2c] as const

/** Says yes to everything. */
export const FULL = Uint8Array.of(0xff)

/**
 * Git's first version of the hash reads bytes above 127 as its compiler does: for such paths
 * nothing is promised.
 */
const plain = /^[\0-\x7f]*$/

/** Whether filters can be asked about a path, in bytes as characters. */
export const canAsk = (path: string): boolean => path !== '' && plain.test(path)

function murmur3(seed: number, text: string): number {
  const mix = (value: number): number => {
    const k = Math.imul(value, 0xcc9e2d51)
    return Math.imul((k << 15) | (k >>> 17), 0x1b873593)
  }
  let hash = seed
  const whole = text.length & ~3
  for (let i = 0; i < whole; i += 4) {
    hash ^= mix(
      text.charCodeAt(i) |
        (text.charCodeAt(i + 1) << 8) |
        (text.charCodeAt(i + 2) << 16) |
        (text.charCodeAt(i + 3) << 24),
    )
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  let rest = 0
  for (let i = text.length - 1; i >= whole; i--) rest = (rest << 8) | text.charCodeAt(i)
  if (whole < text.length) hash ^= mix(rest)
  hash ^= text.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The places of a path's bits before they are brought into the filter's size. */
export function pathHashes(path: string, count: number = FILTER_SETTINGS.hashes): Uint32Array {
  const [first, second] = [murmur3(SEEDS[0], path), murmur3(SEEDS[1], path)]
  return Uint32Array.from({ length: count }, (_, i) => (first + Math.imul(i, second)) >>> 0)
}

/** The filter of changed files; null in their place stands for too many. */
export function buildFilter(files: readonly string[] | null): Uint8Array {
  if (files === null || files.length > MAX_PATHS || !files.every((path) => plain.test(path)))
    return FULL
  const paths = new Set<string>()
  for (const file of files)
    for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1))
      paths.add(file.slice(0, end))
  if (paths.size > MAX_PATHS) return FULL
  const filter = new Uint8Array(
    Math.max(1, Math.ceil((paths.size * FILTER_SETTINGS.bitsPerPath) / 8)),
  )
  for (const path of paths) {
    for (const hash of pathHashes(path)) {
      const bit = hash % (filter.length * 8)
      filter[bit >>> 3]! |= 1 << (bit & 7)
    }
  }
  return filter
}

/**
 * Whether the filter in `bytes[from, to)` leaves open that a path with these hashes was changed. An
 * empty one was never made.
 */
export function mayHold(bytes: Uint8Array, from: number, to: number, hashes: Uint32Array): boolean {
  const bits = (to - from) * 8
  if (bits === 0) return true
  for (const hash of hashes) {
    const bit = hash % bits
    if (!(bytes[from + (bit >>> 3)]! & (1 << (bit & 7)))) return false
  }
  return true
}
