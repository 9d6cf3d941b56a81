/**
 * One answer while it is made, and as it is kept. Its first bytes stay in memory and go to every
 * reader at once. When it grows large it goes on in one of two ways: straight to its readers, at
 * the speed of the slowest; or through a file from which each reader takes at its own speed, so
 * that a slow one holds nobody back. A file that gets no more room (its share of the disk, or the
 * disk itself, is full) is given up once everyone has what is in it, and the rest goes straight on.
 */
import { open, rm, type FileHandle } from 'node:fs/promises'
import { giveBackBuffer } from '#lib/pieces.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { AnswerSink } from './answer-stream.ts'

/** Takes blocks; `taken` is called when the next one may come. */
export type Out = AnswerSink

/**
 * Makes an answer; gives whether it is complete and worth keeping. `signal` tells that nobody reads
 * it any more.
 */
export type Make = (out: Out, signal: AbortSignal) => Promise<boolean>

/** Bytes up to which an answer stays in memory. */
const SMALL = 1 << 19
const BLOCK = 1 << 18
/** Milliseconds that a file stays after somebody was given its path, for them to open it. */
const LINGER = 60_000

/** Where the files are, and how much room they may have. */
export type Room = {
  readonly place: string
  /** Asks for so many more bytes; false when there are none. */
  take(bytes: number): Promise<boolean>
  give(bytes: number): void
}

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
  private phase: 'memory' | 'direct' | 'file' | 'draining' = 'memory'
  private state: 'made' | 'done' | 'failed' = 'made'
  private failure: Error | null = null
  private readonly readers = new Set<Reader>()
  private readonly abort = new AbortController()
  private file: FileHandle | null = null
  /** Bytes that can be read from the file. */
  private written = 0
  private wakes: (() => void)[] = []
  private drained: (() => void) | null = null
  private dropped = false
  /** Bytes that were asked of the room. */
  private taken = 0
  private handedOut = Number.NEGATIVE_INFINITY

  constructor(
    private readonly room: Room,
    private readonly spools: boolean,
  ) {}

  /** One that is there already, small enough for memory. */
  static of(bytes: Uint8Array, room: Room): MakingAnswer {
    const answer = new MakingAnswer(room, false)
    answer.chunks = [bytes]
    answer.size = bytes.length
    answer.state = 'done'
    return answer
  }

  /** All of it, when it is complete and in memory. */
  get whole(): Uint8Array | null {
    if (this.state !== 'done' || this.phase !== 'memory' || this.dropped) return null
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)]
    return this.chunks[0] ?? null
  }

  /** Whether another reader can still have all of it. */
  get isOpen(): boolean {
    return (
      (this.phase === 'memory' || this.phase === 'file') &&
      this.state !== 'failed' &&
      !this.abort.signal.aborted &&
      !this.dropped
    )
  }

  /** Whether it is complete and can be kept. */
  get isWhole(): boolean {
    return (
      this.state === 'done' && (this.phase === 'memory' || this.phase === 'file') && !this.dropped
    )
  }

  /** The file, for somebody who opens it within a minute from now. */
  handOut(): string | null {
    this.handedOut = performance.now()
    return this.path
  }

  /** Whether somebody may be about to open the file. */
  get isAwaited(): boolean {
    return performance.now() < this.handedOut + LINGER
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

  /** Lets go of what is kept; readers that are at it go on. Resolves when its file is removed. */
  async drop(): Promise<void> {
    this.dropped = true
    if (this.readers.size > 0 && this.phase === 'file') return
    this.chunks = []
    await this.leaveFile()
  }

  /**
   * Closes the file and removes it, as soon as nobody is about to open it; only then its room is
   * free.
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
      this.room.give(taken)
    }
    if (!this.isAwaited) return await remove()
    setTimeout(() => void remove(), this.handedOut + LINGER - performance.now()).unref()
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
    const done = (): void => {
      giveBackBuffer(block)
      taken?.()
    }
    // What goes through the file must be there before what goes past it.
    if (this.phase === 'direct' && !this.appended) this.pass(block, this.size - block.length, done)
    else this.append(block, this.size - block.length, done)
  }

  /** Hands a block to those who do not have it; it is `done` when the last of them took it. */
  private pass(block: Uint8Array, from: number, done: () => void): void {
    const readers = [...this.readers].filter(({ at }) => at <= from)
    let left = readers.length
    if (left === 0) return done()
    for (const reader of readers) this.give(reader, block, () => void (--left === 0 && done()))
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
    this.path = this.room.place
    let from = 0
    for (const chunk of chunks) {
      // Readers have it as well.
      this.append(chunk, from, () => {})
      from += chunk.length
    }
    for (const reader of this.readers) void this.pump(reader)
  }

  private writing: Promise<void> = Promise.resolve()
  private appended = false

  /** Puts the block that begins at `from` into the file, or past it to whoever does not have it. */
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

  /** Whether a block is in the file now. */
  private async write(block: Uint8Array): Promise<boolean> {
    if (this.path === null || !(await this.room.take(block.length))) return false
    this.taken += block.length
    try {
      this.file ??= await open(this.room.place, 'wx+', 0o600)
      for (let at = 0; at < block.length; )
        at += (await this.file.write(block, at, block.length - at, this.written + at)).bytesWritten
    } catch {
      return false
    }
    this.written += block.length
    this.wake()
    return true
  }

  /** Waits until everyone has what is in the file, and goes on without it. */
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
          const block = Buffer.allocUnsafeSlow(Math.min(BLOCK, this.written - reader.at))
          const { bytesRead } = await this.file.read(block, 0, block.length, reader.at)
          if (bytesRead === 0) throw new GitError('aborted', 'a kept answer is cut off')
          await new Promise<void>((taken) => this.give(reader, block.subarray(0, bytesRead), taken))
          giveBackBuffer(block)
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
