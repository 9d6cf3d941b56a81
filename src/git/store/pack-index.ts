/** A pack index of version 2, read in place (gitformat-pack, "pack-*.idx files"). */
import { closeSync, fstatSync, openSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { readOpen } from './read-whole.ts'

/** Indexes above this many bytes are mapped instead of read. */
const MAP_FROM = 1 << 20

export class PackIndex {
  readonly count: number
  private readonly names: number
  private readonly crcs: number
  private readonly offsets: number
  private readonly wide: number
  private readonly wideCount: number
  private readonly fanout = new Uint32Array(257)

  /** Throws GitError `corrupt` when the parts do not fit the size of the file. */
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
    this.names = 8 + 1024
    this.crcs = this.names + this.count * 20
    this.offsets = this.crcs + this.count * 4
    this.wide = this.offsets + this.count * 4
    const rest = bytes.length - 40 - this.wide
    if (rest < 0 || rest % 8 !== 0 || rest / 8 > this.count) throw bad()
    this.wideCount = rest / 8
  }

  static open(path: string): PackIndex {
    const fd = openSync(path, 'r')
    try {
      return new PackIndex(fstatSync(fd).size > MAP_FROM ? Bun.mmap(path) : readOpen(fd), path)
    } finally {
      closeSync(fd)
    }
  }

  /** The checksum of the pack that this index was made for. */
  get packChecksum(): Uint8Array {
    return this.bytes.subarray(this.bytes.length - 40, this.bytes.length - 20)
  }

  /** All bytes, for checking the index's own checksum. */
  get raw(): Uint8Array {
    return this.bytes
  }

  /** The place of an id in the order of ids, or -1. */
  find(oid: Uint8Array, at: number): number {
    const bytes = this.bytes
    const first = oid[at]!
    let low = this.fanout[first]!
    let high = this.fanout[first + 1]!
    const key = be32(oid, at + 1)
    // Ids are evenly spread: guess the place by proportion, then halve.
    let guess = low + Math.floor((key / 4294967296) * (high - low))
    while (low < high) {
      const place = this.names + guess * 20
      let order = key - be32(bytes, place + 1)
      for (let i = 5; order === 0 && i < 20; i++) order = oid[at + i]! - bytes[place + i]!
      if (order === 0) return guess
      if (order > 0) low = guess + 1
      else high = guess
      guess = high - low > 16 ? near(guess, order > 0, low, high) : (low + high) >>> 1
    }
    return -1
  }

  /** Where the ids that begin with `prefix` (hex) lie: the first place and one past the last. */
  range(prefix: string): [number, number] {
    const low = Buffer.from(prefix.padEnd(40, '0'), 'hex')
    const high = Buffer.from(prefix.padEnd(40, 'f'), 'hex')
    return [this.lower(low), this.upper(high)]
  }

  /** Where the bytes of the id at a place start in `raw`. */
  idAt(place: number): number {
    return this.names + place * 20
  }

  oid(place: number): string {
    const at = this.names + place * 20
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + at, 20).toString('hex')
  }

  crc(place: number): number {
    return be32(this.bytes, this.crcs + place * 4)
  }

  offset(place: number): number {
    const value = be32(this.bytes, this.offsets + place * 4)
    if (value < 0x80000000) return value
    const wide = value - 0x80000000
    if (wide >= this.wideCount)
      throw new GitError('corrupt', `${this.path} points outside of itself`)
    return (
      be32(this.bytes, this.wide + wide * 8) * 4294967296 +
      be32(this.bytes, this.wide + wide * 8 + 4)
    )
  }

  private lower(oid: Uint8Array): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.compare(mid, oid) < 0) low = mid + 1
      else high = mid
    }
    return low
  }

  private upper(oid: Uint8Array): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const mid = (low + high) >>> 1
      if (this.compare(mid, oid) <= 0) low = mid + 1
      else high = mid
    }
    return low
  }

  private compare(place: number, oid: Uint8Array): number {
    const at = this.names + place * 20
    for (let i = 0; i < 20; i++) {
      const order = this.bytes[at + i]! - oid[i]!
      if (order !== 0) return order
    }
    return 0
  }
}

/**
 * After a guess by proportion the place is close: look 8 places further in the right direction
 * first.
 */
function near(guess: number, after: boolean, low: number, high: number): number {
  const next = after ? guess + 8 : guess - 8
  return next > low && next < high - 1 ? next : (low + high) >>> 1
}

export const be32 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
