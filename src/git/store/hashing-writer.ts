/**
 * Writes to an open file in blocks and hashes what it writes. Git ends packs, indexes, bitmaps and
 * commit-graphs with the SHA-1 of everything before it.
 */
import { writeSync } from 'node:fs'

const DEFAULT_BLOCK_BYTES = 1 << 20

export class HashingWriter {
  private readonly hasher = new Bun.CryptoHasher('sha1')
  private readonly block: Buffer
  private filled = 0

  constructor(
    private readonly fd: number,
    private readonly blockBytes = DEFAULT_BLOCK_BYTES,
  ) {
    this.block = Buffer.allocUnsafeSlow(blockBytes)
  }

  put(bytes: Uint8Array, from: number, to: number): void {
    while (from < to) {
      const part = Math.min(this.blockBytes - this.filled, to - from)
      // For a few bytes a loop is faster than a view.
      if (part <= 64) for (let i = 0; i < part; i++) this.block[this.filled + i] = bytes[from + i]!
      else this.block.set(bytes.subarray(from, from + part), this.filled)
      this.filled += part
      from += part
      if (this.filled === this.blockBytes) this.flush()
    }
  }

  /** Writes a number of 32 bits, big-endian. */
  put32(value: number): void {
    if (this.filled + 4 > this.blockBytes) this.flush()
    this.block.writeUInt32BE(value, this.filled)
    this.filled += 4
  }

  /** Writes the rest, and the SHA-1 of everything before it. Returns the SHA-1. */
  finish(): Uint8Array {
    this.flush()
    const checksum = new Uint8Array(this.hasher.digest() as Uint8Array)
    writeAll(this.fd, checksum)
    return checksum
  }

  private flush(): void {
    const bytes = this.block.subarray(0, this.filled)
    this.hasher.update(bytes)
    writeAll(this.fd, bytes)
    this.filled = 0
  }
}

/** Writes all bytes to an open file at its current position. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at)
}
