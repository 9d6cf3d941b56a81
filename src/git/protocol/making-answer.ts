/**
 * One answer while it is made, and as it is kept. Its first bytes stay in memory and go to every reader at once. When
 * it grows large it goes on in one of two ways: straight to its only reader, at that reader's speed; or through a file
 * from which each reader takes at its own speed, so that a slow one holds nobody back.
 */
import { open, rm, type FileHandle } from 'node:fs/promises'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { AnswerSink } from './answer-stream.ts'

/** Takes blocks; `taken` is called when the next one may come. */
export type Out = AnswerSink

/** Makes an answer; gives whether it is complete and worth keeping. `signal` tells that nobody reads it any more. */
export type Make = (out: Out, signal: AbortSignal) => Promise<boolean>

/** Bytes up to which an answer stays in memory. */
const SMALL = 1 << 19
const BLOCK = 1 << 18
/** Milliseconds that a file stays after it was dropped, for those who are about to open it. */
const LINGER = 60_000

type Reader = {
  readonly sink: AnswerSink
  at: number
  gone: boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class MakingAnswer {
  size = 0
  /** The file, once there is one. */
  path: string | null = null
  private chunks: Uint8Array[] = []
  private phase: 'memory' | 'direct' | 'file' = 'memory'
  private state: 'made' | 'done' | 'failed' = 'made'
  private failure: Error | null = null
  private readonly readers = new Set<Reader>()
  private readonly abort = new AbortController()
  private file: FileHandle | null = null
  /** Bytes that can be read from the file. */
  private written = 0
  private wakes: (() => void)[] = []
  private dropped = false

  constructor(
    private readonly place: string,
    private readonly spools: boolean,
  ) {}

  /** Whether another reader can still have all of it. */
  get isOpen(): boolean {
    return this.phase !== 'direct' && this.state !== 'failed' && !this.abort.signal.aborted && !this.dropped
  }

  /** Whether it is complete and can be kept. */
  get isWhole(): boolean {
    return this.state === 'done' && this.phase !== 'direct' && !this.dropped
  }

  /** Gives everything to a sink, from the start; resolves at the end. */
  join(sink: AnswerSink): Promise<void> {
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

  async run(make: Make): Promise<void> {
    const handlers: (() => void)[] = []
    this.abort.signal.addEventListener('abort', () => handlers.forEach((handler) => handler()))
    try {
      const out: Out = { put: (block, taken) => this.take(block, taken), onCancel: (handler) => void handlers.push(handler) }
      const keep = await make(out, this.abort.signal)
      await this.writing
      if (this.failure !== null) throw this.failure
      this.state = 'done'
      if (!keep) this.dropped = true
    } catch (error) {
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
    if (this.dropped) this.drop()
  }

  /** Lets go of what is kept; readers that are at it go on. */
  drop(): void {
    this.dropped = true
    if (this.readers.size > 0 && this.phase === 'file') return
    this.chunks = []
    const { file, path } = this
    this.file = null
    void file?.close().catch(() => {})
    if (path === null) return
    const timer = setTimeout(() => void rm(path, { force: true }).catch(() => {}), this.state === 'done' ? LINGER : 0)
    timer.unref()
  }

  private take(block: Uint8Array, taken?: () => void): void {
    this.size += block.length
    if (this.phase === 'memory') {
      if (this.size <= SMALL) {
        // A block is often the start of a much larger buffer.
        const chunk = block.length * 2 < block.buffer.byteLength ? copyBytes(block) : block
        this.chunks.push(chunk)
        for (const reader of this.readers) this.give(reader, chunk)
        taken?.()
        return
      }
      this.outgrow()
    }
    if (this.phase === 'direct') {
      const [reader] = this.readers
      if (reader === undefined) taken?.()
      else reader.sink.put(block, taken)
      return
    }
    this.append(block, taken)
  }

  /** It has become too large for memory. */
  private outgrow(): void {
    const chunks = this.chunks
    this.chunks = []
    if (this.readers.size <= 1 && !this.spools) {
      this.phase = 'direct'
      return
    }
    this.phase = 'file'
    this.path = this.place
    for (const chunk of chunks) this.append(chunk)
    for (const reader of this.readers) void this.pump(reader)
  }

  private writing: Promise<void> = Promise.resolve()

  private append(block: Uint8Array, taken?: () => void): void {
    this.writing = this.writing.then(async () => {
      if (this.failure !== null) return taken?.()
      try {
        this.file ??= await open(this.place, 'wx+', 0o600)
        for (let at = 0; at < block.length; ) at += (await this.file.write(block, at, block.length - at, this.written + at)).bytesWritten
        this.written += block.length
      } catch (error) {
        this.failure = new GitError('aborted', `the answer could not be kept: ${(error as Error).message}`)
        this.abort.abort()
      }
      this.wake()
      taken?.()
    })
  }

  private async pump(reader: Reader): Promise<void> {
    try {
      while (!reader.gone) {
        if (reader.at < this.written && this.file !== null) {
          const block = Buffer.allocUnsafeSlow(Math.min(BLOCK, this.written - reader.at))
          const { bytesRead } = await this.file.read(block, 0, block.length, reader.at)
          if (bytesRead === 0) throw new GitError('aborted', 'a kept answer is cut off')
          await new Promise<void>((taken) => this.give(reader, block.subarray(0, bytesRead), taken))
        } else if (this.state === 'failed') return this.break(reader)
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
    if (this.readers.size > 0) return
    if (this.state === 'made') this.abort.abort()
    else if (this.dropped) this.drop()
  }

  private wake(): void {
    for (const wake of this.wakes.splice(0)) wake()
  }
}
