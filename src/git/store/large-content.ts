/**
 * Content of objects that are too large to hold in memory. It is in an anonymous temporary file,
 * and deltas are applied to it piece by piece. So the memory for an object of any size is constant.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { deltaSizes } from './delta.ts'
import type { Inflater } from './inflate.ts'

/** Objects above this size are streamed instead of held in memory. */
export const MAX_MEMORY_CONTENT_BYTES = 4 << 20

const BLOCK_BYTES = 1 << 18
/** Bytes that are read at once from a file for a short copy, since the next is often near. */
const WINDOW_BYTES = 1 << 14
/** Bytes of one size, and of one copy instruction, of a delta. */
const MAX_DELTA_HEADER_BYTES = 20
/** Bytes of work after which other tasks of the thread may run. */
const PAUSE_EVERY_BYTES = 4 << 20

/** Receives `bytes[from, to)`, which is valid only during the call. */
export type ByteSink = (bytes: Buffer, from: number, to: number) => void

/** The content of an object that deltas copy from. */
export interface Content {
  readonly size: number
  /** Passes `[at, at + length)` to a sink, in blocks. */
  copyTo(sink: ByteSink, at: number, length: number): void
  close(): void
}

/** Content in memory: `bytes[from, from + size)`. */
export class MemoryContent implements Content {
  constructor(
    private readonly bytes: Buffer,
    private readonly from: number,
    readonly size: number,
  ) {}

  copyTo(sink: ByteSink, at: number, length: number): void {
    sink(this.bytes, this.from + at, this.from + at + length)
  }

  close(): void {}
}

/** Content in a file without a name, which the system removes when it is closed. */
export class FileContent implements Content {
  size = 0
  private readonly fd: number
  private readonly block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  private used = 0
  private readonly window = Buffer.allocUnsafeSlow(WINDOW_BYTES)
  private windowAt = -1

  /** `path` must not exist. It is the name of the file for a moment. */
  constructor(path: string) {
    this.fd = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
  }

  readonly append: ByteSink = (bytes, from, to) => {
    for (let at = from; at < to; ) {
      const length = Math.min(to - at, BLOCK_BYTES - this.used)
      bytes.copy(this.block, this.used, at, at + length)
      this.used += length
      at += length
      if (this.used === BLOCK_BYTES) this.flush()
    }
    this.size += to - from
  }

  /** Writes what `append` has collected. Required before `copyTo`. */
  flush(): void {
    for (let at = 0; at < this.used; ) at += writeSync(this.fd, this.block, at, this.used - at)
    this.used = 0
  }

  copyTo(sink: ByteSink, at: number, length: number): void {
    const end = at + length
    while (at < end) {
      const inWindow =
        this.windowAt >= 0 && at >= this.windowAt && at < this.windowAt + WINDOW_BYTES
      if (inWindow || end - at <= WINDOW_BYTES / 2) {
        if (!inWindow) this.readWindow(at)
        const from = at - this.windowAt
        const to = Math.min(WINDOW_BYTES, end - this.windowAt)
        sink(this.window, from, to)
        at += to - from
        continue
      }
      const got = readSync(this.fd, this.block, 0, Math.min(BLOCK_BYTES, end - at), at)
      if (got === 0) throw new Error('a temporary file is cut off')
      sink(this.block, 0, got)
      at += got
    }
  }

  close(): void {
    closeSync(this.fd)
  }

  private readWindow(at: number): void {
    this.windowAt = at - (at % (WINDOW_BYTES / 2))
    const wanted = Math.min(WINDOW_BYTES, this.size - this.windowAt)
    for (let done = 0; done < wanted; ) {
      const got = readSync(this.fd, this.window, done, wanted - done, this.windowAt + done)
      if (got === 0) throw new Error('a temporary file is cut off')
      done += got
    }
  }
}

const corruptDelta = (what: string): GitError => new GitError('corrupt', `delta ${what}`)

/** Applies a delta whose bytes arrive in blocks. The result goes to a sink, in order. */
export class StreamedDelta {
  /** Bytes of the result so far. */
  produced = 0
  /** Number of instructions so far. */
  instructions = 0
  private isInHeader = true
  private readonly unparsed = Buffer.alloc(MAX_DELTA_HEADER_BYTES)
  private unparsedBytes = 0
  private insertBytes = 0
  private pausedAt = 0

  constructor(
    private readonly base: Content,
    private readonly resultBytes: number,
    private readonly sink: ByteSink,
  ) {}

  /** Applies the next bytes of the delta. Yields after each `PAUSE_EVERY_BYTES` of the result. */
  *apply(bytes: Buffer, from: number, to: number): Generator<void> {
    for (let at = from; at < to; ) {
      if (this.produced - this.pausedAt >= PAUSE_EVERY_BYTES) {
        this.pausedAt = this.produced
        yield
      }
      if (this.insertBytes > 0) {
        const length = Math.min(this.insertBytes, to - at)
        this.sink(bytes, at, at + length)
        this.insertBytes -= length
        at += length
        continue
      }
      this.unparsed[this.unparsedBytes++] = bytes[at++]!
      if (this.isInHeader) this.parseHeader()
      else this.parseInstruction()
    }
  }

  /** Throws GitError `corrupt` when the delta is incomplete. */
  end(): void {
    if (this.unparsedBytes > 0 || this.insertBytes > 0 || this.produced !== this.resultBytes)
      throw corruptDelta('produces fewer bytes than announced')
  }

  private parseHeader(): void {
    const { unparsed, unparsedBytes } = this
    let sizes = 0
    for (let i = 0; i < unparsedBytes; i++) if (unparsed[i]! < 0x80) sizes++
    if (sizes < 2) {
      if (unparsedBytes === MAX_DELTA_HEADER_BYTES) throw corruptDelta('has a malformed size')
      return
    }
    const { base, result } = deltaSizes(unparsed, 0, unparsedBytes)
    if (base !== this.base.size) throw corruptDelta('does not fit its base')
    if (result !== this.resultBytes) throw corruptDelta('has a malformed size')
    this.isInHeader = false
    this.unparsedBytes = 0
  }

  private parseInstruction(): void {
    const { unparsed } = this
    const op = unparsed[0]!
    if (op === 0) throw corruptDelta('has a reserved instruction')
    if (op < 0x80) {
      this.startOutput(op)
      this.insertBytes = op
      return
    }
    let needed = 1
    for (let bits = op & 0x7f; bits > 0; bits &= bits - 1) needed++
    if (this.unparsedBytes < needed) return
    let at = 1
    let offset = 0
    let length = 0
    for (let i = 0; i < 4; i++) if (op & (1 << i)) offset += unparsed[at++]! * 2 ** (8 * i)
    for (let i = 0; i < 3; i++) if (op & (16 << i)) length += unparsed[at++]! * 2 ** (8 * i)
    if (length === 0) length = 0x10000
    if (offset + length > this.base.size) throw corruptDelta('copies out of bounds')
    this.startOutput(length)
    this.base.copyTo(this.sink, offset, length)
  }

  /** Counts an instruction and what it produces. */
  private startOutput(length: number): void {
    if (this.produced + length > this.resultBytes) throw corruptDelta('copies out of bounds')
    this.produced += length
    this.instructions++
    this.unparsedBytes = 0
  }
}

/** Reads bytes of a pack at an offset into `out`. Returns how many; 0 at the end. */
export type PackBytes = (out: Buffer, length: number, offset: number) => number

/** Memory for `inflateStream`, used again for each stream. */
export class StreamBuffers {
  readonly input = Buffer.allocUnsafeSlow(1 << 16)
  readonly output = Buffer.allocUnsafeSlow(1 << 18)
}

/**
 * Inflates the stream that begins at `offset` of a pack and ends before `end`. At least one byte of
 * the pack must follow it, because the inflater notices the end by the bytes behind it. Yields the
 * length of each block in `buffers.output`. Throws GitError `corrupt` unless it has `size` bytes.
 */
export function* inflateStream(
  inflater: Inflater,
  { input, output }: StreamBuffers,
  read: PackBytes,
  [offset, end]: readonly [offset: number, end: number],
  size: number,
): Generator<number> {
  inflater.begin()
  let produced = 0
  while (!inflater.ended) {
    const got = read(input, Math.min(input.length, end - offset), offset)
    if (got <= 0) throw new GitError('corrupt', 'the compressed data is cut off')
    let used = 0
    do {
      inflater.step(input, used, got, output, 0, output.length, offset + got < end)
      used += inflater.consumed
      produced += inflater.produced
      if (produced > size) throw new GitError('corrupt', 'an object is larger than it says')
      if (inflater.produced > 0) yield inflater.produced
    } while (!inflater.ended && (inflater.produced > 0 || inflater.consumed > 0) && used < got)
    offset += used
    if (used === 0 && !inflater.ended)
      throw new GitError('corrupt', 'the compressed data is damaged')
  }
  if (produced !== size) throw new GitError('corrupt', 'an object is smaller than it says')
}
