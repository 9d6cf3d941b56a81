/**
 * Equal questions get one answer, made once. While it is being made, whoever asks the same joins
 * in; when it was asked for twice it is kept, framed and ready to send: small ones in memory, large
 * ones as files, both within bounds, the least recently used leave first. The key of an answer
 * holds everything that it depends on, the refs of the namespace first of all: when one of them
 * moves, nobody asks for the old key again.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { randomName } from '../store/files.ts'
import type { AnswerSink } from './answer-stream.ts'
import { MakingAnswer, type Make, type Room } from './making-answer.ts'

export type SharedLimits = {
  /** Where files are kept; it exists. */
  readonly directory: string
  /**
   * Bytes of files, those that are being written with them, and of answers in memory. Without any
   * disk nothing is written.
   */
  readonly diskBytes: number
  readonly memoryBytes: number
}

type Kept = { readonly store: string; readonly bytes: number; readonly answer: MakingAnswer }

/** Keys that were asked for once. */
const MAX_SEEN = 4096

export class SharedAnswers {
  private readonly making = new Map<
    string,
    { readonly store: string; readonly answer: MakingAnswer }
  >()
  private readonly kept = new Map<string, Kept>()
  private readonly seen = new Set<string>()
  private memory = 0
  /**
   * Bytes of all files: kept ones, those that are being written, and those that somebody is about
   * to open.
   */
  private disk = 0
  /** Files that are kept. */
  private files = 0

  constructor(private readonly limits: SharedLimits) {}

  /**
   * Answers `key` into a sink; resolves when everything is put. `make` makes the answer and says
   * whether it is one to keep; it runs only when nobody else's can be had.
   */
  async answer(store: string, key: string, sink: AnswerSink, make: Make): Promise<void> {
    const kept = this.touch(key)
    if (kept !== null) return await kept.answer.join(sink)
    // Without a file the slowest reader would hold back all others.
    const running = this.limits.diskBytes > 0 ? this.making.get(key) : undefined
    if (running !== undefined && running.answer.isOpen) return await running.answer.join(sink)
    // A large answer is written to a file from the second time on: most are asked for once.
    const spool = this.seen.has(key) || running !== undefined
    this.note(key)
    const answer = new MakingAnswer(this.room(), spool && this.limits.diskBytes > 0)
    this.making.set(key, { store, answer })
    const joined = answer.join(sink)
    void answer.run(make).finally(() => {
      const mine = this.making.get(key)?.answer === answer
      if (mine) this.making.delete(key)
      if (mine && answer.isWhole) this.keep(store, key, answer)
      else void answer.drop()
    })
    await joined
  }

  /** Whether the answer to `key` is kept or being made. */
  has(key: string): boolean {
    return this.kept.has(key) || this.making.has(key)
  }

  /** The answer to `key`, if it is kept in memory. */
  wholeOf(key: string): Uint8Array | null {
    return this.touch(key)?.answer.whole ?? null
  }

  /** Keeps an answer that was made elsewhere, and is small. */
  put(store: string, key: string, bytes: Uint8Array): void {
    if (!this.has(key)) this.keep(store, key, MakingAnswer.of(bytes, this.room()))
  }

  /**
   * The file that is the answer to `key`, byte for byte, or null. It can be opened for a minute
   * from now on.
   */
  fileOf(key: string): { readonly path: string; readonly size: number } | null {
    const kept = this.touch(key)
    const path = kept?.answer.handOut() ?? null
    if (!kept || path === null) return null
    const { size } = kept.answer
    // Somebody may have emptied the directory: half an answer is worse than making it again.
    if (statSync(path, { throwIfNoEntry: false })?.size === size) return { path, size }
    void this.remove(key, kept)
    return null
  }

  /** Whether any file is kept; when not, there is no need to look for one. */
  get hasFiles(): boolean {
    return this.files > 0
  }

  /** Forgets the answers of a store that is removed. */
  forget(store: string): void {
    for (const [key, one] of this.kept) if (one.store === store) void this.remove(key, one)
    for (const [key, one] of this.making) if (one.store === store) this.making.delete(key)
  }

  close(): void {
    for (const [key, one] of this.kept) void this.remove(key, one)
  }

  private touch(key: string): Kept | null {
    const kept = this.kept.get(key)
    if (kept === undefined) return null
    this.kept.delete(key)
    this.kept.set(key, kept)
    return kept
  }

  private note(key: string): void {
    this.seen.delete(key)
    this.seen.add(key)
    if (this.seen.size > MAX_SEEN)
      for (const oldest of this.seen) return void this.seen.delete(oldest)
  }

  /** Where one answer may be written, and how large it may become. */
  private room(): Room {
    const most = this.limits.diskBytes / 2
    let mine = 0
    return {
      place: join(this.limits.directory, `kept-${randomName()}`),
      take: async (bytes) => {
        // One answer may not push out everything else.
        if (mine + bytes > most) return false
        mine += bytes
        this.disk += bytes
        if (this.disk > this.limits.diskBytes) await this.makeRoom()
        if (this.disk <= this.limits.diskBytes) return true
        mine -= bytes
        this.disk -= bytes
        return false
      },
      give: (bytes) => {
        mine -= bytes
        this.disk -= bytes
      },
    }
  }

  /**
   * Removes files until the rest is within its bound, the one used least lately first; none that
   * somebody is about to open.
   */
  private makeRoom(): Promise<void> {
    // One after the other: what another round is about to remove counts as used until it is gone.
    return (this.clearing = this.clearing.then(() => this.removeOldest()))
  }

  private clearing: Promise<void> = Promise.resolve()

  private async removeOldest(): Promise<void> {
    const removals: Promise<void>[] = []
    let over = this.disk - this.limits.diskBytes
    for (const [key, one] of this.kept) {
      if (over <= 0) break
      if (one.answer.path === null || one.answer.isAwaited) continue
      over -= one.answer.size
      removals.push(this.remove(key, one))
    }
    await Promise.all(removals)
  }

  private keep(store: string, key: string, answer: MakingAnswer): void {
    const { memoryBytes } = this.limits
    if (answer.path !== null) {
      this.files++
      this.kept.set(key, { store, bytes: 0, answer })
      return
    }
    const bytes = answer.size + 1000
    if (bytes > memoryBytes / 8) return void answer.drop()
    this.memory += bytes
    this.kept.set(key, { store, bytes, answer })
    for (const [oldest, one] of this.kept) {
      if (this.memory <= memoryBytes) return
      if (one.answer.path === null) void this.remove(oldest, one)
    }
  }

  private remove(key: string, { bytes, answer }: Kept): Promise<void> {
    this.kept.delete(key)
    if (answer.path === null) this.memory -= bytes
    else this.files--
    return answer.drop()
  }
}
