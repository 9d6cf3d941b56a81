/**
 * The format of SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat): a
 * header of 32 bytes, then frames. A frame is a header of 24 bytes and one page. A transaction is
 * committed once its last frame, which holds the size of the database, is in the log.
 */

export const HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24
/** The lowest bit says that checksums are over big-endian words. */
const MAGIC = 0x377f0682
const VERSION = 3007000

/** The cumulative checksum of a log, changed in place. */
export type Checksum = { first: number; second: number }

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Adds bytes, a multiple of 8, to a checksum. */
export function addToChecksum(
  sum: Checksum,
  view: DataView,
  from: number,
  to: number,
  isBigEndian: boolean,
): void {
  let { first, second } = sum
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, !isBigEndian) + second) | 0
    second = (second + view.getUint32(at + 4, !isBigEndian) + first) | 0
  }
  sum.first = first
  sum.second = second
}

export type LogHeader = {
  readonly isBigEndian: boolean
  readonly pageSize: number
  /** Both salts as text. Every restart of the log changes them. */
  readonly salts: string
  readonly checksum: Readonly<Checksum>
}

/** Parses the header of a log; null when there is none that is whole. */
export function parseHeader(bytes: Uint8Array): LogHeader | null {
  if (bytes.length < HEADER_BYTES) return null
  const view = viewOf(bytes)
  const magic = view.getUint32(0)
  if ((magic & ~1) !== MAGIC || view.getUint32(4) !== VERSION) return null
  const isBigEndian = (magic & 1) === 1
  const sum: Checksum = { first: 0, second: 0 }
  addToChecksum(sum, view, 0, 24, isBigEndian)
  if (sum.first !== view.getInt32(24) || sum.second !== view.getInt32(28)) return null
  return {
    isBigEndian,
    pageSize: view.getUint32(8),
    salts: `${view.getUint32(16)}.${view.getUint32(20)}`,
    checksum: sum,
  }
}

export type ReadFrames = {
  /** Bytes of the frames up to the end of the last whole transaction. */
  readonly committedBytes: number
  /** The checksum there. */
  readonly checksum: Checksum
  /** Whether every frame was valid, so that more may follow. */
  readonly isWhole: boolean
}

/** Examines frames that follow each other. `from` is the checksum of what is before them. */
export function readFrames(
  bytes: Uint8Array,
  { isBigEndian, pageSize, salts }: LogHeader,
  from: Readonly<Checksum>,
): ReadFrames {
  const view = viewOf(bytes)
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  const sum: Checksum = { ...from }
  let committedBytes = 0
  let checksum: Checksum = { ...from }
  let at = 0
  for (; at + frameBytes <= bytes.length; at += frameBytes) {
    if (`${view.getUint32(at + 8)}.${view.getUint32(at + 12)}` !== salts) break
    addToChecksum(sum, view, at, at + 8, isBigEndian)
    addToChecksum(sum, view, at + FRAME_HEADER_BYTES, at + frameBytes, isBigEndian)
    if (sum.first !== view.getInt32(at + 16) || sum.second !== view.getInt32(at + 20)) break
    if (view.getUint32(at + 4) === 0) continue
    committedBytes = at + frameBytes
    checksum = { ...sum }
  }
  return { committedBytes, checksum, isWhole: at + frameBytes > bytes.length }
}

/** The page number of a frame, and the size of the database in pages if it ends a transaction. */
export const frameAt = (view: DataView, at: number): { page: number; databasePages: number } => ({
  page: view.getUint32(at),
  databasePages: view.getUint32(at + 4),
})

/** A log that is being written, with little-endian checksums. */
export type NewLog = { readonly salts: readonly [number, number]; readonly checksum: Checksum }

/** Creates the header of a new log. */
export function createHeader(
  pageSize: number,
  salts: readonly [number, number],
): { readonly bytes: Uint8Array; readonly log: NewLog } {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = viewOf(bytes)
  view.setUint32(0, MAGIC)
  view.setUint32(4, VERSION)
  view.setUint32(8, pageSize)
  view.setUint32(16, salts[0])
  view.setUint32(20, salts[1])
  const checksum: Checksum = { first: 0, second: 0 }
  addToChecksum(checksum, view, 0, 24, false)
  view.setInt32(24, checksum.first)
  view.setInt32(28, checksum.second)
  return { bytes, log: { salts, checksum } }
}

/** Gives frames of another log the salts and checksums that they need at the end of this one. */
export function adoptFrames(bytes: Uint8Array, pageSize: number, log: NewLog): void {
  const view = viewOf(bytes)
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  for (let at = 0; at < bytes.length; at += frameBytes) {
    view.setUint32(at + 8, log.salts[0])
    view.setUint32(at + 12, log.salts[1])
    addToChecksum(log.checksum, view, at, at + 8, false)
    addToChecksum(log.checksum, view, at + FRAME_HEADER_BYTES, at + frameBytes, false)
    view.setInt32(at + 16, log.checksum.first)
    view.setInt32(at + 20, log.checksum.second)
  }
}

/** Whether bytes are frames of whole transactions. */
export function areWholeCommits(bytes: Uint8Array, pageSize: number): boolean {
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  if (bytes.length === 0 || bytes.length % frameBytes !== 0) return false
  const view = viewOf(bytes)
  for (let at = 0; at < bytes.length; at += frameBytes) if (view.getUint32(at) === 0) return false
  return view.getUint32(bytes.length - frameBytes + 4) > 0
}

/** Makes several commits one: only the last frame ends a transaction. */
export function mergeCommits(bytes: Uint8Array, pageSize: number): void {
  const view = viewOf(bytes)
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  for (let at = 0; at + frameBytes < bytes.length; at += frameBytes) view.setUint32(at + 4, 0)
}

/** Whether a value is a page size of SQLite: a power of two from 512 to 65536 (sqlite.org/fileformat). */
export const isPageSize = (value: unknown): value is number =>
  typeof value === 'number' && value >= 512 && value <= 65_536 && Number.isInteger(Math.log2(value))
