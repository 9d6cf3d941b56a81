/**
 * A directory as it changes from commit to commit. Neighbours in history differ in an entry or two, so a listing is
 * derived from the one next to it: what both begin and end with is found by comparing memory, and only the middle is read.
 */
import { bytesToKey, type PathKey } from './names.ts'
import { TreeCursor } from './tree.ts'

/** The bytes of a tree with the offset of each entry, and of the end. */
export type Listing = { readonly data: Buffer; readonly starts: Uint32Array }

const asBuffer = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength)

export function readListing(bytes: Uint8Array): Listing {
  const data = asBuffer(bytes)
  const starts: number[] = []
  const cursor = new TreeCursor(data)
  for (let at = 0; cursor.next(); at = cursor.oidStart + 20) starts.push(at)
  return { data, starts: Uint32Array.from([...starts, data.length]) }
}

/** The names in byte order of the entries. */
export function namesIn(listing: Listing): PathKey[] {
  return entriesIn(listing.data, listing.starts, 0, listing.starts.length - 1).map(({ name }) => name)
}

type Item = { readonly name: PathKey; readonly text: string }

/** Entries from index to index; `text` is mode, name and id together. */
function entriesIn(data: Buffer, starts: ArrayLike<number>, from: number, to: number): Item[] {
  const items: Item[] = []
  for (let i = from; i < to; i++) {
    const text = bytesToKey(data, starts[i], starts[i + 1])
    items.push({ name: text.slice(text.indexOf(' ') + 1, -21), text })
  }
  return items
}

/** The listing of another tree, and which names of `own` are not the same entry there. */
export function compareListing(own: Listing, bytes: Uint8Array): { other: Listing; changed: PathKey[] } {
  const data = asBuffer(bytes)
  const { starts } = own
  const last = starts.length - 1
  const shared = Math.min(own.data.length, data.length)
  const prefix = commonStart(own.data, data, shared)
  const first = lastAtMost(starts, prefix)
  const begin = starts[first] ?? 0
  const suffix = commonEnd(own.data, data, shared - begin)
  const shift = own.data.length - data.length
  // Read the other tree from the last entry that both begin with, until it is in step with what both end with.
  const middle: number[] = []
  const cursor = new TreeCursor(data, begin)
  let at = begin
  let meet = last
  for (;;) {
    if (at + shift >= own.data.length - suffix) {
      const index = lastAtMost(starts, at + shift)
      if (starts[index] === at + shift && index >= first) {
        meet = index
        break
      }
    }
    if (!cursor.next()) break
    middle.push(at)
    at = cursor.oidStart + 20
  }
  const joined = new Uint32Array(first + middle.length + (last - meet) + 1)
  joined.set(starts.subarray(0, first))
  joined.set(middle, first)
  for (let i = meet; i <= last; i++) joined[first + middle.length + i - meet] = (starts[i] ?? 0) - shift
  const theirs = new Set(entriesIn(data, joined, first, first + middle.length).map(({ text }) => text))
  const changed = entriesIn(own.data, starts, first, meet).filter(({ text }) => !theirs.has(text))
  return { other: { data, starts: joined }, changed: changed.map(({ name }) => name) }
}

/** How many bytes both begin with, at most `limit`. */
function commonStart(a: Buffer, b: Buffer, limit: number): number {
  let low = 0
  let high = limit
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (a.compare(b, low, middle, low, middle) === 0) low = middle
    else high = middle - 1
  }
  return low
}

function commonEnd(a: Buffer, b: Buffer, limit: number): number {
  let low = 0
  let high = limit
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const equal = a.compare(b, b.length - middle, b.length - low, a.length - middle, a.length - low) === 0
    if (equal) low = middle
    else high = middle - 1
  }
  return low
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
