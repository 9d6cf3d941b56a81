/**
 * Frames bytes as pkt-lines of side band 1, in blocks that are ready to send (gitprotocol-pack,
 * "Packfile Data"). Without a side band the bytes are not framed.
 */
import { SHARED_BLOCK_BYTES } from '#lib/threads/shared-blocks.ts'
import { pkt, writeLength } from './pkt-line.ts'

const MAX_BLOCK_BYTES = SHARED_BLOCK_BYTES
/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const MAX_BYTES_PER_CODE_UNIT = 3
/**
 * The first block is small, as most responses are; each full block makes the next one four times
 * larger.
 */
const FIRST_BLOCK_BYTES = 1 << 14
const NONE = Buffer.alloc(0)

export type Band = 'none' | 'small' | 'large'

/** Payload per packet: 65520 or 1000 bytes, less the length and the band number. */
const PAYLOAD_BYTES: Record<Band, number> = { none: MAX_BLOCK_BYTES, small: 995, large: 65515 }

export class Framer {
  private block: Buffer = NONE
  /** The size of the next block. */
  private size = FIRST_BLOCK_BYTES
  private at = 0
  /** Where the open packet starts, or -1. */
  private packet = -1
  private ready: Uint8Array[] = []
  private readonly payload: number
  private hasher: Bun.CryptoHasher | null = null
  /** Without a band: the offset in the block up to which it is hashed. */
  private hashed = 0

  constructor(
    private readonly band: Band,
    private readonly allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow,
  ) {
    this.payload = PAYLOAD_BYTES[band]
  }

  /** From now on, the payload is also hashed by `hasher`, if any. */
  hashTo(hasher: Bun.CryptoHasher | null): void {
    this.end()
    this.hashNow()
    this.hasher = hasher
    this.hashed = this.at
  }

  /** Adds payload of band 1. */
  put(bytes: Buffer, from: number, to: number): void {
    while (from < to) {
      const part = Math.min(this.room(), to - from)
      bytes.copy(this.block, this.at, from, from + part)
      this.at += part
      from += part
    }
  }

  /** Adds `length` bytes of payload that `write` writes into blocks, in parts. */
  fill(length: number, write: (block: Buffer, at: number, length: number) => void): void {
    while (length > 0) {
      const part = Math.min(this.room(), length)
      write(this.block, this.at, part)
      this.at += part
      length -= part
    }
  }

  /** The space in the open packet, or in a new one. */
  private room(): number {
    for (;;) {
      if (this.band !== 'none' && this.packet < 0) this.begin()
      const left = this.block.length - this.at
      const room =
        this.band === 'none' ? left : Math.min(left, this.packet + 5 + this.payload - this.at)
      if (room > 0) return room
      this.next()
    }
  }

  /** Adds a complete pkt-line of another kind between packets. */
  raw(bytes: Uint8Array): void {
    this.end()
    if (this.at + bytes.length > this.block.length) this.renew()
    if (bytes.length > this.block.length) this.ready.push(new Uint8Array(bytes))
    else {
      this.block.set(bytes, this.at)
      this.at += bytes.length
    }
  }

  /** Adds a pkt-line of text between packets, encoded straight into the block. */
  line(text: string): void {
    this.end()
    const most = 4 + text.length * MAX_BYTES_PER_CODE_UNIT
    if (this.at + most > this.block.length) this.renew()
    if (most > this.block.length) return this.raw(pkt(text))
    const length = 4 + this.block.write(text, this.at + 4)
    writeLength(this.block, this.at, length)
    this.at += length
  }

  /** Returns the blocks that are ready; with `all`, the last partial block too. */
  take(all: boolean): Uint8Array[] {
    if (all) {
      this.end()
      this.give()
    }
    const ready = this.ready
    this.ready = []
    return ready
  }

  get hasReady(): boolean {
    return this.ready.length > 0
  }

  private begin(): void {
    if (this.at + 6 > this.block.length) this.renew()
    this.packet = this.at
    this.block[this.at + 4] = 1
    this.at += 5
  }

  private next(): void {
    this.end()
    if (this.block.length - this.at < 1024) this.renew()
  }

  private end(): void {
    if (this.packet < 0) return
    const length = this.at - this.packet
    this.hasher?.update(this.block.subarray(this.packet + 5, this.at))
    writeLength(this.block, this.packet, length)
    this.packet = -1
  }

  /** Moves the filled part of the block to the ready ones. */
  private give(): void {
    if (this.at === 0) return
    this.hashNow()
    this.ready.push(this.block.subarray(0, this.at))
    this.block = NONE
    this.at = 0
    this.hashed = 0
  }

  private renew(): void {
    if (this.at > 0) this.size = Math.min(MAX_BLOCK_BYTES, this.size * 4)
    this.give()
    this.block = this.allocate(this.size)
  }

  private hashNow(): void {
    if (this.band === 'none' && this.at > this.hashed)
      this.hasher?.update(this.block.subarray(this.hashed, this.at))
    this.hashed = this.at
  }
}
