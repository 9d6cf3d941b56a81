/**
 * Reads the commits of a database from its write-ahead log as they are made. It must see every
 * frame before the log restarts, which only a transaction does. So it reads at the beginning of
 * each transaction of this process (`readEarlier`), while nobody else can commit, and right after
 * its commit (`readCommitted`).
 *
 * Another process may commit and then restart the log. `PRAGMA data_version` tells whether another
 * connection has committed (https://www.sqlite.org/pragma.html#pragma_data_version). Then commits
 * may be missing, and `readEarlier` throws `LogGap`.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import {
  HEADER_BYTES,
  parseHeader,
  readFrames,
  type Checksum,
  type LogHeader,
} from './wal-format.ts'

/** Commits of another process are missing: the standby needs a new copy of the database. */
export class LogGap extends Error {}

/** What is read first: most transactions are smaller. */
const FIRST_READ_BYTES = 64 * 1024
/** Pieces of many transactions are about this large; a larger transaction is one piece. */
const PIECE_BYTES = 1024 * 1024

export class WalTail {
  #file: number | null = null
  #header: LogHeader | null = null
  #offset = HEADER_BYTES
  #checksum: Checksum = { first: 0, second: 0 }
  #version = 0
  /** Frames are read into it again and again. */
  #buffer = Buffer.alloc(0)

  constructor(
    private readonly path: string,
    /** `PRAGMA data_version` of the connection that commits. */
    private readonly readVersion: () => number,
  ) {}

  /** Starts at the beginning of the log as it is. */
  start(): void {
    this.close()
    this.settle()
  }

  /**
   * Reads the next commits while a snapshot is held (`holdSnapshot`). A log that restarts then has
   * all its frames in the database file, so reading goes on with the new one. Null at the end.
   */
  readHeld(): Uint8Array | null {
    const header = this.#readHeader()
    if (header === null) return null
    if (header.salts !== this.#header?.salts) this.#begin(header)
    return this.#readPiece()
  }

  /** Whether another process has committed something that was not read. */
  isBehind(): boolean {
    return this.readVersion() !== this.#version
  }

  /** Says that everything of other processes was read. */
  settle(): void {
    this.#version = this.readVersion()
  }

  /** Commits of other processes. Called at the beginning of a transaction. Throws LogGap. */
  readEarlier(): Uint8Array[] {
    const header = this.#readHeader()
    const isSame = header?.salts === this.#header?.salts
    if (isSame) {
      const pieces = this.#readPieces()
      if (pieces.length > 0) this.settle()
      return pieces
    }
    if (this.readVersion() !== this.#version)
      throw new LogGap('another process changed the database and restarted its log')
    this.#header = null
    if (header === null) return []
    this.#begin(header)
    return this.#readPieces()
  }

  /** The commit of this process that was just made. */
  readCommitted(): Uint8Array[] {
    const header = this.#readHeader()
    if (header === null) throw new LogGap('the log of the database is not where it was')
    if (header.salts !== this.#header?.salts) this.#begin(header)
    return this.#readPieces()
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
    this.#header = null
    this.#buffer = Buffer.alloc(0)
  }

  #begin(header: LogHeader): void {
    this.#header = header
    this.#offset = HEADER_BYTES
    this.#checksum = { ...header.checksum }
  }

  #readHeader(): LogHeader | null {
    const bytes = Buffer.alloc(HEADER_BYTES)
    const length = readSync(this.#open(), bytes, 0, HEADER_BYTES, 0)
    return parseHeader(bytes.subarray(0, length))
  }

  #open(): number {
    return (this.#file ??= openSync(this.path, 'r'))
  }

  #readPieces(): Uint8Array[] {
    const pieces: Uint8Array[] = []
    for (let piece = this.#readPiece(); piece !== null; piece = this.#readPiece())
      pieces.push(piece)
    return pieces
  }

  /** The next frames up to the end of a transaction; null when none has ended. */
  #readPiece(): Uint8Array | null {
    if (this.#header === null) return null
    for (let size = FIRST_READ_BYTES; ; size *= 4) {
      const bytes = this.#bufferOf(size)
      const length = readSync(this.#open(), bytes, 0, size, this.#offset)
      const found = readFrames(bytes.subarray(0, length), this.#header, this.#checksum)
      const isEnd = length < size || !found.isWhole
      if (found.committedBytes > 0 && (isEnd || size >= PIECE_BYTES)) {
        this.#offset += found.committedBytes
        this.#checksum = found.checksum
        return new Uint8Array(bytes.subarray(0, found.committedBytes))
      }
      if (isEnd) return null
    }
  }

  #bufferOf(size: number): Buffer {
    if (size > PIECE_BYTES) return Buffer.allocUnsafeSlow(size)
    if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafeSlow(size)
    return this.#buffer
  }
}
