/** Reads a pack index of version 2 in place (gitformat-pack, "pack-*.idx files"). */
import { bytesToOid } from '../object.ts'
import { GitError } from '../ports.ts'
import { mapFile } from './read-file.ts'

export class PackIndex {
  readonly count: number
  private readonly oidsAt: number
  private readonly crcsAt: number
  private readonly offsetsAt: number
  private readonly largeOffsetsAt: number
  private readonly largeOffsetCount: number
  private readonly fanout = new Uint32Array(257)

  /** Throws GitError `corrupt` when the sections do not match the size of the file. */
  constructor(
    private readonly bytes: Uint8Array,
    readonly path: string,
  ) {
    const bad = () => new GitError('corrupt', `${path} is not a sound pack index of version 2`)
    if (bytes.length < 8 + 1024 + 40 || be32(bytes, 0) !== 0xff744f63 || be32(bytes, 4) !== 2)
      throw bad()
    for (let i = 0; i < 256; i++) {
      this.fanout[i + 1] = be32(bytes, 8 + i * 4)
      if (this.fanout[i + 1]! < this.fanout[i]!) throw bad()
    }
    this.count = this.fanout[256]!
    this.oidsAt = 8 + 1024
    this.crcsAt = this.oidsAt + this.count * 20
    this.offsetsAt = this.crcsAt + this.count * 4
    this.largeOffsetsAt = this.offsetsAt + this.count * 4
    const rest = bytes.length - 40 - this.largeOffsetsAt
    if (rest < 0 || rest % 8 !== 0 || rest / 8 > this.count) throw bad()
    this.largeOffsetCount = rest / 8
  }

  static open(path: string): PackIndex {
    return new PackIndex(mapFile(path), path)
  }

  /** Checksum of the pack that this index belongs to. */
  get packChecksum(): Uint8Array {
    return this.bytes.subarray(this.bytes.length - 40, this.bytes.length - 20)
  }

  /** All bytes, for example to verify the index's own checksum. */
  get raw(): Uint8Array {
    return this.bytes
  }

  /** Returns the index position of an id, or -1. */
  find(oid: Uint8Array, at: number): number {
    const bytes = this.bytes
    const first = oid[at]!
    let low = this.fanout[first]!
    let high = this.fanout[first + 1]!
    const key = be32(oid, at + 1)
    // Interpolation search: ids are uniformly distributed. It falls back to halving.
    let guess = low + Math.floor((key / 4294967296) * (high - low))
    let step = FIRST_STEP
    while (low < high) {
      const indexPos = this.oidsAt + guess * 20
      let order = key - be32(bytes, indexPos + 1)
      for (let i = 5; order === 0 && i < 20; i++) order = oid[at + i]! - bytes[indexPos + i]!
      if (order === 0) return guess
      if (order > 0) low = guess + 1
      else high = guess
      guess =
        high - low > 16 ? nextProbe(guess, order > 0 ? step : -step, low, high) : (low + high) >>> 1
      step *= 4
    }
    return -1
  }

  /** Returns the number of objects whose ids are lower. */
  rank(oid: Uint8Array, at: number): number {
    return this.lowerBound(oid.subarray(at, at + 20))
  }

  /**
   * Returns the range of index positions whose ids begin with `prefix` (hex): first, and one past
   * the last.
   */
  range(prefix: string): [number, number] {
    const low = Buffer.from(prefix.padEnd(40, '0'), 'hex')
    const high = Buffer.from(prefix.padEnd(40, 'f'), 'hex')
    return [this.lowerBound(low), this.upperBound(high)]
  }

  /** Returns where the id at an index position starts in `raw`. */
  oidAt(indexPos: number): number {
    return this.oidsAt + indexPos * 20
  }

  oid(indexPos: number): string {
    return bytesToOid(this.bytes, this.oidsAt + indexPos * 20)
  }

  crc(indexPos: number): number {
    return be32(this.bytes, this.crcsAt + indexPos * 4)
  }

  offset(indexPos: number): number {
    const value = be32(this.bytes, this.offsetsAt + indexPos * 4)
    if (value < 0x80000000) return value
    const wide = value - 0x80000000
    if (wide >= this.largeOffsetCount)
      throw new GitError('corrupt', `${this.path} points outside of itself`)
    return (
      be32(this.bytes, this.largeOffsetsAt + wide * 8) * 4294967296 +
      be32(this.bytes, this.largeOffsetsAt + wide * 8 + 4)
    )
  }

  private lowerBound(oid: Uint8Array): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.compare(mid, oid) < 0) low = mid + 1
      else high = mid
    }
    return low
  }

  private upperBound(oid: Uint8Array): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.compare(mid, oid) <= 0) low = mid + 1
      else high = mid
    }
    return low
  }

  private compare(indexPos: number, oid: Uint8Array): number {
    const at = this.oidsAt + indexPos * 20
    for (let i = 0; i < 20; i++) {
      const order = this.bytes[at + i]! - oid[i]!
      if (order !== 0) return order
    }
    return 0
  }
}

/** Positions between the interpolated one and the next probe. Each further step is four times as long. */
const FIRST_STEP = 8

/** After an interpolation the id is close, so the next probe is a step further in its direction. */
function nextProbe(guess: number, step: number, low: number, high: number): number {
  const next = guess + step
  return next > low && next < high - 1 ? next : (low + high) >>> 1
}

export const be32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
