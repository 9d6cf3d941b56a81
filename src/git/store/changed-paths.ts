/**
 * Changed-path Bloom filters of a commit against its first parent (gitformat-commit-graph, "Bloom
 * Filter Index" and "Bloom Filter Data"). A filter may match an unchanged path, but never misses a
 * changed one.
 */

/** Git's settings: version 1 of the hash, seven hashes a path, ten bits a path. */
export const FILTER_SETTINGS = { version: 1, hashes: 7, bitsPerPath: 10 } as const
/** Commits that change more paths get a filter that matches every path, as in git. */
const MAX_PATHS = 512
const HASH_SEEDS = [0x293ae76f, 0x7e646e2c] as const

/** A filter that matches every path. */
export const MATCH_ALL_FILTER = Uint8Array.of(0xff)

/**
 * Version 1 of git's hash depends on the signedness of `char` for bytes above 127. Such paths are
 * not filtered.
 */
const ASCII_ONLY = /^[\0-\x7f]*$/

/** Whether a path, one character for each byte, can be tested against filters. */
export const isFilterablePath = (path: string): boolean => path !== '' && ASCII_ONLY.test(path)

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

/**
 * Returns the hashes of a path; a hash modulo the filter's size in bits is the position of one bit.
 */
export function pathHashes(path: string, count: number = FILTER_SETTINGS.hashes): Uint32Array {
  const [first, second] = [murmur3(HASH_SEEDS[0], path), murmur3(HASH_SEEDS[1], path)]
  return Uint32Array.from({ length: count }, (_, i) => (first + Math.imul(i, second)) >>> 0)
}

/** Builds the filter of a list of changed files. Null stands for too many files. */
export function buildPathFilter(files: readonly string[] | null): Uint8Array {
  if (files === null || files.length > MAX_PATHS || !files.every((path) => ASCII_ONLY.test(path)))
    return MATCH_ALL_FILTER
  const paths = new Set<string>()
  for (const file of files)
    for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1))
      paths.add(file.slice(0, end))
  if (paths.size > MAX_PATHS) return MATCH_ALL_FILTER
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
 * Whether the filter in `bytes[from, to)` may contain the path with these hashes. An empty filter
 * has not been built and may contain every path.
 */
export function mayContain(
  bytes: Uint8Array,
  from: number,
  to: number,
  hashes: Uint32Array,
): boolean {
  const bits = (to - from) * 8
  if (bits === 0) return true
  for (const hash of hashes) {
    const bit = hash % bits
    if (!(bytes[from + (bit >>> 3)]! & (1 << (bit & 7)))) return false
  }
  return true
}
