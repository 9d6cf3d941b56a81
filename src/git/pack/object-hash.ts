/**
 * Computes object ids in buffers that have free space in front of the content. The header is
 * written there, so one call hashes both.
 */
import { typeName } from './entry-header.ts'

/** Bytes that a buffer keeps free in front of an object's content. */
export const HASH_PREFIX_BYTES = 32

const TYPE_PREFIXES = [0, 1, 2, 3, 4].map((code) =>
  code === 0 ? Buffer.alloc(0) : Buffer.from(`${typeName(code)} `),
)

/**
 * Writes the id of the object at `bytes[from, from + size)` to `out`. Overwrites the 32 bytes
 * before `from`.
 */
export function hashObjectInto(
  type: number,
  bytes: Uint8Array,
  from: number,
  size: number,
  out: Uint8Array,
): void {
  let at = from - 1
  bytes[at] = 0
  let rest = size
  do {
    bytes[--at] = 0x30 + (rest % 10)
    rest = Math.floor(rest / 10)
  } while (rest > 0)
  const word = TYPE_PREFIXES[type]!
  at -= word.length
  for (let i = 0; i < word.length; i++) bytes[at + i] = word[i]!
  Bun.SHA1.hash(bytes.subarray(at, from + size), out)
}

/** Returns a hasher that has hashed the object's header; the content follows in parts. */
export function startObjectHash(type: number, size: number): Bun.CryptoHasher {
  return new Bun.CryptoHasher('sha1').update(`${typeName(type)} ${size}\0`)
}
