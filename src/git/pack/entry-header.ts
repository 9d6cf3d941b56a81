/** Headers of packs and of pack entries (gitformat-pack). */
import { GitError, type ObjectType } from '../ports.ts'

export const COMMIT = 1
export const TREE = 2
export const BLOB = 3
export const TAG = 4
export const OFS_DELTA = 6
export const REF_DELTA = 7

const TYPE_NAMES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag']

export function typeName(code: number): ObjectType {
  const name = TYPE_NAMES[code]
  if (name === undefined) throw new GitError('corrupt', `object has the unknown type ${code}`)
  return name
}

export const typeCode = (name: ObjectType): number => TYPE_NAMES.indexOf(name)

/**
 * Upper bound of an entry header in bytes: ten bytes of type and size, and a base of at most 20
 * bytes.
 */
export const MAX_HEADER_BYTES = 32

/** The header of one entry; `parseEntryHeader` fills it. */
export class EntryHeader {
  type = 0
  /** Inflated size of the data: of the object, or of the delta itself. */
  size = 0
  /** Position of the compressed data, in the buffer that was parsed. */
  dataAt = 0
  /** For OFS_DELTA: distance in bytes from this entry back to its base. */
  distance = 0
  /** For REF_DELTA: position of the base's id in the buffer that was parsed. */
  baseAt = 0
}

/**
 * Parses the header at `bytes[at]` into `header`. Returns false when it ends after `end`. Throws
 * GitError `corrupt` for an unknown type or an impossible size.
 */
export function parseEntryHeader(
  bytes: Uint8Array,
  at: number,
  end: number,
  header: EntryHeader,
): boolean {
  if (at >= end) return false
  let byte = bytes[at++]!
  const type = (byte >>> 4) & 7
  let size = byte & 15
  let scale = 16
  while (byte & 0x80) {
    if (at >= end) return false
    if (scale > 2 ** 46) throw new GitError('corrupt', 'pack entry has an impossible size')
    byte = bytes[at++]!
    size += (byte & 0x7f) * scale
    scale *= 128
  }
  header.type = type
  header.size = size
  if (type === OFS_DELTA) {
    if (at >= end) return false
    byte = bytes[at++]!
    let distance = byte & 0x7f
    while (byte & 0x80) {
      if (at >= end) return false
      if (distance > 2 ** 45) throw new GitError('corrupt', 'pack entry has an impossible base')
      byte = bytes[at++]!
      distance = (distance + 1) * 128 + (byte & 0x7f)
    }
    header.distance = distance
  } else if (type === REF_DELTA) {
    if (at + 20 > end) return false
    header.baseAt = at
    at += 20
  } else if (type === 0 || type === 5) {
    throw new GitError('corrupt', `pack entry has the unknown type ${type}`)
  }
  header.dataAt = at
  return true
}

/** Writes type and size. Returns the position after them. */
export function writeEntryHeader(out: Uint8Array, at: number, type: number, size: number): number {
  let byte = (type << 4) | (size & 15)
  let rest = Math.floor(size / 16)
  while (rest > 0) {
    out[at++] = byte | 0x80
    byte = rest & 0x7f
    rest = Math.floor(rest / 128)
  }
  out[at++] = byte
  return at
}

/** Writes the distance to the base of an OFS_DELTA. Returns the position after it. */
export function writeBaseDistance(out: Uint8Array, at: number, distance: number): number {
  const digits = [distance % 128]
  let rest = Math.floor(distance / 128)
  while (rest > 0) {
    rest--
    digits.push((rest % 128) | 0x80)
    rest = Math.floor(rest / 128)
  }
  for (let i = digits.length - 1; i >= 0; i--) out[at++] = digits[i]!
  return at
}

/** Returns the 12 bytes of a pack header. */
export function packHeader(count: number): Buffer {
  const bytes = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  bytes.writeUInt32BE(count, 8)
  return bytes
}
