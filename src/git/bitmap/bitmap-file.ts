/**
 * A pack's `.bitmap` file (gitformat-bitmap): which objects selected commits reach, by their order
 * in the pack.
 */
import { BLOB, COMMIT, TAG, TREE } from '../pack/entry.ts'
import { GitError } from '../ports.ts'
import type { PackIndex } from '../store/pack-index.ts'
import { be32 } from '../store/pack-index.ts'
import { readWhole } from '../store/read-whole.ts'
import { BitmapSets } from './bitmap-set.ts'
import { bitWords } from './bits.ts'
import { decodeEwah, ewahSize } from './ewah.ts'

const FULL_DAG = 1
/** Decoded sets that are kept; each has a bit for every object of the pack. */
const KEPT = 16

export class BitmapFile {
  readonly words: number
  private readonly sets: BitmapSets
  /** Entry by the commit's place in the index. */
  private readonly byPlace = new Map<number, number>()
  private readonly types: Uint32Array[] = []
  private readonly typeAt: number[] = []

  /** Throws GitError `corrupt` when it does not fit the pack or itself. */
  constructor(
    private readonly bytes: Uint8Array,
    count: number,
    packChecksum: Uint8Array,
    path: string,
  ) {
    const bad = (what: string) => new GitError('corrupt', `${path}: ${what}`)
    if (
      bytes.length < 52 ||
      Buffer.from(bytes.buffer, bytes.byteOffset, 4).toString('latin1') !== 'BITM'
    )
      throw bad('no bitmap')
    const version = (bytes[4]! << 8) | bytes[5]!
    const flags = (bytes[6]! << 8) | bytes[7]!
    if (version !== 1 || !(flags & FULL_DAG)) throw bad('an unknown kind of bitmap')
    if (Buffer.compare(bytes.subarray(12, 32), packChecksum) !== 0)
      throw bad('the bitmap belongs to another pack')
    const sum = Bun.SHA1.hash(bytes.subarray(0, bytes.length - 20)) as Uint8Array
    if (Buffer.compare(sum, bytes.subarray(bytes.length - 20)) !== 0)
      throw bad('the bitmap does not match its checksum')
    this.words = bitWords(count)
    this.sets = new BitmapSets(this.words, KEPT)
    let at = 32
    for (let i = 0; i < 4; i++) {
      this.typeAt.push(at)
      at += ewahSize(bytes, at)
    }
    const entries = be32(bytes, 8)
    for (let i = 0; i < entries; i++) {
      const place = be32(bytes, at)
      const offset = bytes[at + 4]!
      if (offset > i || place >= count) throw bad('an entry is malformed')
      this.byPlace.set(place, i)
      this.sets.sets.push({ bytes, at: at + 6, base: offset === 0 ? -1 : i - offset })
      at += 6 + ewahSize(bytes, at + 6)
    }
  }

  /** Null when the pack has none. */
  static open(base: string, index: PackIndex): BitmapFile | null {
    const path = `${base}.bitmap`
    const bytes = readWhole(path)
    return bytes === null ? null : new BitmapFile(bytes, index.count, index.packChecksum, path)
  }

  /** Whether the commit at this place of the index has a set of its own. */
  has(place: number): boolean {
    return this.byPlace.has(place)
  }

  /**
   * What the commit at this place reaches, by order in the pack; not to be changed. Null when it
   * has no set.
   */
  reach(place: number): Uint32Array | null {
    const entry = this.byPlace.get(place)
    return entry === undefined ? null : this.sets.decode(entry)
  }

  /** The objects of one type, by order in the pack; not to be changed. */
  ofType(type: number): Uint32Array {
    const slot = [COMMIT, TREE, BLOB, TAG].indexOf(type)
    let bits = this.types[slot]
    if (bits === undefined) {
      bits = new Uint32Array(this.words)
      decodeEwah(this.bytes, this.typeAt[slot]!, bits)
      this.types[slot] = bits
    }
    return bits
  }

  /** How many commits have sets. */
  get commitCount(): number {
    return this.sets.sets.length
  }
}
