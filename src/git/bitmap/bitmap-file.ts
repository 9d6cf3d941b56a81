/**
 * Reads a pack's `.bitmap` file (gitformat-bitmap): the objects that selected commits reach, by
 * pack position.
 */
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry-header.ts'
import { GitError } from '../ports.ts'
import type { PackIndex } from '../store/pack-index.ts'
import { be32 } from '../store/pack-index.ts'
import { mapFileOrNull } from '../store/read-file.ts'
import type { Tables } from '../store/tables.ts'
import { StoredBitmaps } from './stored-bitmaps.ts'
import { bitWords } from './bits.ts'
import { decodeEwah, ewahSize } from './ewah.ts'

const FLAG_FULL_DAG = 1
/** Maximum number of decoded bitmaps in memory. Each has one bit for every object of the pack. */
const MAX_DECODED = 16

export class BitmapFile {
  readonly words: number
  private readonly bitmaps: StoredBitmaps
  /** Entry by the commit's index position. */
  private readonly entryByIndexPos = new Map<number, number>()
  private readonly typeBits: Uint32Array[] = []
  private readonly typeBitmapsAt: number[] = []

  /** Throws GitError `corrupt` when it does not match the pack or is inconsistent. */
  constructor(
    private readonly bytes: Uint8Array,
    count: number,
    packChecksum: Uint8Array,
    path: string,
    private readonly tables: Tables,
  ) {
    const bad = (what: string) => new GitError('corrupt', `${path}: ${what}`)
    if (
      bytes.length < 52 ||
      Buffer.from(bytes.buffer, bytes.byteOffset, 4).toString('latin1') !== 'BITM'
    )
      throw bad('no bitmap')
    const version = (bytes[4]! << 8) | bytes[5]!
    const flags = (bytes[6]! << 8) | bytes[7]!
    if (version !== 1 || !(flags & FLAG_FULL_DAG)) throw bad('an unknown kind of bitmap')
    if (Buffer.compare(bytes.subarray(12, 32), packChecksum) !== 0)
      throw bad('the bitmap belongs to another pack')
    const sum = Bun.SHA1.hash(bytes.subarray(0, bytes.length - 20)) as Uint8Array
    if (Buffer.compare(sum, bytes.subarray(bytes.length - 20)) !== 0)
      throw bad('the bitmap does not match its checksum')
    this.words = bitWords(count)
    this.bitmaps = new StoredBitmaps(this.words, MAX_DECODED, tables)
    let at = 32
    for (let i = 0; i < 4; i++) {
      this.typeBitmapsAt.push(at)
      at += ewahSize(bytes, at)
    }
    const entries = be32(bytes, 8)
    for (let i = 0; i < entries; i++) {
      const indexPos = be32(bytes, at)
      const offset = bytes[at + 4]!
      if (offset > i || indexPos >= count) throw bad('an entry is malformed')
      this.entryByIndexPos.set(indexPos, i)
      this.bitmaps.stored.push({ bytes, at: at + 6, xorBase: offset === 0 ? -1 : i - offset })
      at += 6 + ewahSize(bytes, at + 6)
    }
  }

  /** Returns null when the pack has no bitmap. */
  static open(base: string, index: PackIndex, tables: Tables): BitmapFile | null {
    const path = `${base}.bitmap`
    const bytes = mapFileOrNull(path)
    if (bytes === null) return null
    return new BitmapFile(bytes, index.count, index.packChecksum, path, tables)
  }

  /** Whether the commit at this index position has a bitmap. */
  has(indexPos: number): boolean {
    return this.entryByIndexPos.has(indexPos)
  }

  /**
   * Returns the objects that the commit at this index position reaches, by pack position, or null.
   * The result is shared: it must not be changed, and is valid until the next call.
   */
  reachable(indexPos: number): Uint32Array | null {
    const entry = this.entryByIndexPos.get(indexPos)
    return entry === undefined ? null : this.bitmaps.decode(entry)
  }

  /**
   * Returns the objects of one type, by pack position. The result is shared and must not be
   * changed.
   */
  ofType(type: number): Uint32Array {
    const slot = [COMMIT, TREE, BLOB, TAG].indexOf(type)
    let bits = this.typeBits[slot]
    if (bits === undefined) {
      bits = this.tables.allocate(Uint32Array, this.words)
      decodeEwah(this.bytes, this.typeBitmapsAt[slot]!, bits)
      this.typeBits[slot] = bits
    }
    return bits
  }

  /** Number of commits that have a bitmap. */
  get commitCount(): number {
    return this.bitmaps.stored.length
  }
}
