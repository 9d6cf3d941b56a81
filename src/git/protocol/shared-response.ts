/**
 * One response while it is produced and while it is cached. Its first bytes stay in memory and go
 * to all readers. A large response continues in one of two ways: straight to its readers, at the
 * speed of the slowest; or through a file, from which each reader takes at its own speed. If the
 * file gets no more disk space, it is abandoned once all readers have its content, and the rest
 * goes straight to them.
 */
import { open, rm, type FileHandle } from 'node:fs/promises'
import { writeFully } from '#lib/disk.ts'
import { releaseBuffer } from '#lib/pieces.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ResponseSink } from './response-stream.ts'

/** Takes blocks; `taken` is called when the next one may come. */
export type Out = ResponseSink

/**
 * Produces a response; returns whether it is complete and may be cached. `signal` is aborted when
 * no reader is left.
 */
export type ProduceResponse = (out: Out, signal: AbortSignal) => Promise<boolean>

/** A response stays in memory up to this size. */
const MAX_MEMORY_BYTES = 1 << 19
const READ_BYTES = 1 << 18
/** How long a file stays after its path was returned, for the caller to open it. */
const HAND_OUT_MS = 60_000

/** A file for a response, and its share of the disk space. */
export type SpoolFile = {
  readonly path: string
  /** Reserves disk space; false when there is none. */
  reserve(bytes: number): Promise<boolean>
  release(bytes: number): void
}

type Reader = {
  readonly sink: ResponseSink
  at: number
  gone: boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class SharedResponse {
  size = 0
  /** The path of the file, once there is one. */
  path: string | null = null
  private chunks: Uint8Array[] = []
  private phase: 'memory' | 'direct' | 'file' | 'draining' = 'memory'
  private state: 'made' | 'done' | 'failed' = 'made'
  private failure: Error | null = null
  private readonly readers = new Set<Reader>()
  private readonly abort = new AbortController()
  private file: FileHandle | null = null
  /** Bytes of the file that readers can read. */
  private written = 0
  private wakes: (() => void)[] = []
  private drained: (() => void) | null = null
  private dropped = false
  /** Bytes that are reserved. */
  private taken = 0
  private handedOut = Number.NEGATIVE_INFINITY

  constructor(
    private readonly room: SpoolFile,
    private readonly spools: boolean,
  ) {}

  /** A complete response that is small enough for memory. */
  static of(bytes: Uint8Array, room: SpoolFile): SharedResponse {
    const answer = new SharedResponse(room, false)
    answer.chunks = [bytes]
    answer.size = bytes.length
    answer.state = 'done'
    return answer
  }

  /** All bytes, when the response is complete and in memory; otherwise null. */
  get whole(): Uint8Array | null {
    if (this.state !== 'done' || this.phase !== 'memory' || this.dropped) return null
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)]
    return this.chunks[0] ?? null
  }

  /** Whether a new reader still gets all bytes. */
  get isOpen(): boolean {
    return (
      (this.phase === 'memory' || this.phase === 'file') &&
      this.state !== 'failed' &&
      !this.abort.signal.aborted &&
      !this.dropped
    )
  }

  /** Whether the response is complete and can be cached. */
  get isWhole(): boolean {
    return (
      this.state === 'done' && (this.phase === 'memory' || this.phase === 'file') && !this.dropped
    )
  }

  /** The path of the file, to be opened within one minute. */
  handOut(): string | null {
    this.handedOut = performance.now()
    return this.path
  }

  /** Whether the path was returned less than a minute ago. */
  get isAwaited(): boolean {
    return performance.now() < this.handedOut + HAND_OUT_MS
  }

  /** Sends all bytes to a sink; resolves at the end. */
  join(sink: ResponseSink): Promise<void> {
    return new Promise((resolve, reject) => {
      const reader: Reader = { sink, at: 0, gone: false, resolve, reject }
      this.readers.add(reader)
      sink.onCancel(() => this.leave(reader))
      if (this.phase === 'memory') {
        for (const chunk of this.chunks) this.give(reader, chunk)
        if (this.state === 'done') this.finish(reader)
      } else void this.pump(reader)
    })
  }

  async run(make: ProduceResponse): Promise<void> {
    const handlers: (() => void)[] = []
    this.abort.signal.addEventListener('abort', () => handlers.forEach((handler) => handler()))
    try {
      const out: Out = {
        put: (block, taken) => this.take(block, taken),
        onCancel: (handler) => void handlers.push(handler),
      }
      const keep = await make(out, this.abort.signal)
      await this.writing
      if (this.failure !== null) throw this.failure
      this.state = 'done'
      if (!keep) this.dropped = true
    } catch (error) {
      // A block that is being written could open the file after it was removed.
      await this.writing
      this.state = 'failed'
      this.failure = error instanceof Error ? error : new Error(String(error))
    }
    if (this.phase !== 'file') {
      for (const reader of [...this.readers]) {
        if (this.state === 'done') this.finish(reader)
        else this.break(reader)
      }
    }
    this.wake()
    if (this.dropped) void this.drop()
  }

  /** Drops the content; current readers continue. Resolves when the file is removed. */
  async drop(): Promise<void> {
    this.dropped = true
    if (this.readers.size > 0 && this.phase === 'file') return
    this.chunks = []
    await this.leaveFile()
  }

  /**
   * Closes and removes the file, and releases its disk space. Waits while the path may be in use.
   */
  private async leaveFile(): Promise<void> {
    const { file, path, taken } = this
    this.file = null
    this.path = null
    this.taken = 0
    if (path === null) return
    const remove = async (): Promise<void> => {
      await file?.close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
      this.room.release(taken)
    }
    if (!this.isAwaited) return await remove()
    setTimeout(() => void remove(), this.handedOut + HAND_OUT_MS - performance.now()).unref()
  }

  private take(block: Uint8Array, taken?: () => void): void {
    this.size += block.length
    if (this.phase === 'memory') {
      if (this.size <= MAX_MEMORY_BYTES) {
        // The block may be a small part of a large buffer.
        const chunk = block.length * 2 < block.buffer.byteLength ? copyBytes(block) : block
        this.chunks.push(chunk)
        for (const reader of this.readers) this.give(reader, chunk)
        taken?.()
        return
      }
      this.outgrow()
    }
    const done = (): void => {
      releaseBuffer(block)
      taken?.()
    }
    // Blocks that go through the file must arrive before those that bypass it.
    if (this.phase === 'direct' && !this.appended) this.pass(block, this.size - block.length, done)
    else this.append(block, this.size - block.length, done)
  }

  /** Sends a block to the readers that do not have it; calls `done` when the last has taken it. */
  private pass(block: Uint8Array, from: number, done: () => void): void {
    const readers = [...this.readers].filter(({ at }) => at <= from)
    let left = readers.length
    if (left === 0) return done()
    for (const reader of readers) this.give(reader, block, () => void (--left === 0 && done()))
  }

  /** Continues a response that is too large for memory. */
  private outgrow(): void {
    const chunks = this.chunks
    this.chunks = []
    if (this.readers.size <= 1 && !this.spools) {
      this.phase = 'direct'
      return
    }
    this.phase = 'file'
    this.path = this.room.path
    let from = 0
    for (const chunk of chunks) {
      // Readers have got these blocks already.
      this.append(chunk, from, () => {})
      from += chunk.length
    }
    for (const reader of this.readers) void this.pump(reader)
  }

  private writing: Promise<void> = Promise.resolve()
  private appended = false

  /**
   * Appends the block at offset `from` to the file, or sends it to the readers when the file is
   * abandoned.
   */
  private append(block: Uint8Array, from: number, done: () => void): void {
    this.appended = true
    this.writing = this.writing.then(async () => {
      if (this.phase === 'file') {
        if (await this.write(block)) return done()
        await this.giveUpFile()
      }
      this.pass(block, from, done)
    })
  }

  /** Writes a block to the file; false when it cannot. */
  private async write(block: Uint8Array): Promise<boolean> {
    if (this.path === null || !(await this.room.reserve(block.length))) return false
    this.taken += block.length
    try {
      this.file ??= await open(this.room.path, 'wx+', 0o600)
      await writeFully(this.file, block, this.written)
    } catch {
      return false
    }
    this.written += block.length
    this.wake()
    return true
  }

  /** Abandons the file once all readers have its content. */
  private async giveUpFile(): Promise<void> {
    this.phase = 'draining'
    this.wake()
    await new Promise<void>((drained) => {
      this.drained = drained
      this.noteDrained()
    })
    this.phase = 'direct'
    this.wake()
    void this.leaveFile()
  }

  private noteDrained(): void {
    if (this.phase === 'draining' && [...this.readers].every(({ at }) => at >= this.written))
      this.drained?.()
  }

  private async pump(reader: Reader): Promise<void> {
    try {
      while (!reader.gone) {
        if (reader.at < this.written && this.file !== null) {
          const block = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.written - reader.at))
          const { bytesRead } = await this.file.read(block, 0, block.length, reader.at)
          if (bytesRead === 0) throw new GitError('aborted', 'a kept answer is cut off')
          await new Promise<void>((taken) => this.give(reader, block.subarray(0, bytesRead), taken))
          releaseBuffer(block)
          this.noteDrained()
        } else if (this.phase === 'direct') return
        else if (this.state === 'failed') return this.break(reader)
        else if (this.state === 'done') return this.finish(reader)
        else await new Promise<void>((wake) => this.wakes.push(wake))
      }
    } catch (error) {
      reader.reject(error as Error)
      this.leave(reader)
    }
  }

  private give(reader: Reader, chunk: Uint8Array, taken?: () => void): void {
    reader.at += chunk.length
    reader.sink.put(chunk, taken)
  }

  private finish(reader: Reader): void {
    reader.resolve()
    this.leave(reader)
  }

  private break(reader: Reader): void {
    reader.reject(this.failure ?? new GitError('aborted', 'the answer was given up'))
    this.leave(reader)
  }

  private leave(reader: Reader): void {
    if (!this.readers.delete(reader)) return
    reader.gone = true
    reader.resolve()
    this.noteDrained()
    if (this.readers.size > 0) return
    if (this.state === 'made') this.abort.abort()
    else if (this.dropped) void this.drop()
  }

  private wake(): void {
    for (const wake of this.wakes.splice(0)) wake()
  }
}
