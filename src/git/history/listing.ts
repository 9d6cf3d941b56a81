/**
 * Compares versions of a directory. Neighbouring commits differ in one or two entries. So equal
 * parts of two trees are found by comparing memory, and only entries that differ are parsed.
 */
import { bytesToKey, type PathKey } from './names.ts'
import { TreeCursor } from './tree.ts'

/** The bytes of a tree, with the offsets of its entries and of its end. */
export type Listing = { readonly data: Buffer; readonly starts: Uint32Array }

const asBuffer = (data: Uint8Array): Buffer =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength)

export function readListing(bytes: Uint8Array): Listing {
  const data = asBuffer(bytes)
  const starts: number[] = []
  const cursor = new TreeCursor(data)
  for (let at = 0; cursor.next(); at = cursor.oidStart + 20) starts.push(at)
  return { data, starts: Uint32Array.from([...starts, data.length]) }
}

/** The names, in the order of the entries. */
export function namesIn(listing: Listing, limit = Infinity): PathKey[] {
  const { data, starts } = listing
  return Array.from({ length: Math.min(limit, starts.length - 1) }, (_, i) =>
    nameOf(data, starts[i] ?? 0, starts[i + 1] ?? 0),
  )
}

/**
 * Returns the listing of another tree, and the names of `own` whose entries differ there. Both
 * trees are walked in parallel, in git's order.
 */
export function compareListing(
  own: Listing,
  bytes: Uint8Array,
): { other: Listing; changed: PathKey[] } {
  const mine = own.data
  const data = asBuffer(bytes)
  const { starts } = own
  const last = starts.length - 1
  const changed: PathKey[] = []
  let joined = new Uint32Array(starts.length + 64)
  let count = 0
  const put = (at: number): void => {
    if (count === joined.length) {
      const wider = new Uint32Array(count * 2)
      wider.set(joined)
      joined = wider
    }
    joined[count++] = at
  }
  let index = 0
  let at = 0
  for (;;) {
    const from = starts[index] as number
    const equal = commonRun(mine, from, data, at)
    // Entries within the equal bytes are equal; the entry in which the bytes end may differ.
    const meet = from + equal >= mine.length ? last : lastAtMost(starts, from + equal)
    for (; index < meet; index++) put(at + ((starts[index] as number) - from))
    at += (starts[meet] as number) - from
    if (index === last || at >= data.length) break
    const end = entryEnd(data, at)
    const order = compareNames(
      mine,
      starts[index] as number,
      starts[index + 1] as number,
      data,
      at,
      end,
    )
    if (order <= 0) changed.push(nameOf(mine, starts[index] as number, starts[++index] as number))
    if (order >= 0) {
      put(at)
      at = end
    }
  }
  for (; index < last; index++)
    changed.push(nameOf(mine, starts[index] as number, starts[index + 1] as number))
  for (; at < data.length; at = entryEnd(data, at)) put(at)
  put(data.length)
  return { other: { data, starts: joined.subarray(0, count) }, changed }
}

const SPACE = 0x20
const SLASH = 0x2f
/** The first byte of a directory's mode, `40000`; all other modes begin with 1. */
const DIRECTORY = 0x34

/** Throws GitError `corrupt` for a truncated entry. */
function entryEnd(data: Buffer, at: number): number {
  const cursor = new TreeCursor(data, at)
  return cursor.next() ? cursor.oidStart + 20 : data.length
}

const nameOf = (data: Buffer, from: number, to: number): PathKey =>
  bytesToKey(data, data.indexOf(SPACE, from) + 1, to - 21)

/** Git's order of tree entries: by bytes of the names, with a slash after those of directories. */
function compareNames(
  a: Buffer,
  aFrom: number,
  aTo: number,
  b: Buffer,
  bFrom: number,
  bTo: number,
): number {
  let i = a.indexOf(SPACE, aFrom) + 1
  let j = b.indexOf(SPACE, bFrom) + 1
  while (i < aTo - 21 && j < bTo - 21 && a[i] === b[j]) {
    i++
    j++
  }
  const next = (data: Buffer, at: number, from: number, to: number): number =>
    at < to - 21 ? (data[at] as number) : data[from] === DIRECTORY ? SLASH : 0
  return next(a, i, aFrom, aTo) - next(b, j, bFrom, bTo)
}

/** Bytes per memory comparison. */
const COMPARED_BYTES = 256

/** The number of equal bytes from two offsets on. */
function commonRun(a: Buffer, from: number, b: Buffer, at: number): number {
  const most = Math.min(a.length - from, b.length - at)
  let run = 0
  while (
    run + COMPARED_BYTES <= most &&
    a.compare(b, at + run, at + run + COMPARED_BYTES, from + run, from + run + COMPARED_BYTES) === 0
  )
    run += COMPARED_BYTES
  while (run < most && a[from + run] === b[at + run]) run++
  return run
}

/** The index of the last start that is not greater than `at`. */
function lastAtMost(starts: Uint32Array, at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}
