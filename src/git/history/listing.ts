/**
 * A directory as it changes from commit to commit. Neighbours in history differ in an entry or two,
 * so a listing is derived from the one next to it: what is equal is found by comparing memory, and
 * only what differs is read.
 */
import { bytesToKey, type PathKey } from './names.ts'
import { TreeCursor } from './tree.ts'

/** The bytes of a tree with the offset of each entry, and of the end. */
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

/** The names in byte order of the entries. */
export function namesIn(listing: Listing): PathKey[] {
  const { data, starts } = listing
  return Array.from({ length: starts.length - 1 }, (_, i) =>
    nameOf(data, starts[i] ?? 0, starts[i + 1] ?? 0),
  )
}

/**
 * The listing of another tree, and which names of `own` are not the same entry there. Both are read
 * side by side in git's order:
 * what is equal is passed over as memory, and only entries that differ are looked at one by one.
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
    // Whole entries of the equal bytes are the same entry; the one in which they end is not.
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
/** A directory's mode begins with a 4, and nothing else's does. */
const DIRECTORY = 0x34

/** Throws GitError `corrupt` for an entry without an end. */
function entryEnd(data: Buffer, at: number): number {
  const cursor = new TreeCursor(data, at)
  return cursor.next() ? cursor.oidStart + 20 : data.length
}

const nameOf = (data: Buffer, from: number, to: number): PathKey =>
  bytesToKey(data, data.indexOf(SPACE, from) + 1, to - 21)

/**
 * The order of two entries in a tree: bytes of the names, a directory's as if it ended in a slash.
 */
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

/** Bytes that are compared at once, as memory. */
const PIECE = 256

/** How many bytes are equal from two places on. */
function commonRun(a: Buffer, from: number, b: Buffer, at: number): number {
  const most = Math.min(a.length - from, b.length - at)
  let run = 0
  while (
    run + PIECE <= most &&
    a.compare(b, at + run, at + run + PIECE, from + run, from + run + PIECE) === 0
  )
    run += PIECE
  while (run < most && a[from + run] === b[at + run]) run++
  return run
}

/** The index of the last start that is at most `at`. */
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
