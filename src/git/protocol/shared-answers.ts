/**
 * Equal questions get one answer, made once. While it is being made, whoever asks the same joins in; when it was asked
 * for twice it is kept, framed and ready to send: small ones in memory, large ones as files, both within bounds, the
 * least recently used leave first. The key of an answer holds everything that it depends on, the refs of the namespace
 * first of all: when one of them moves, nobody asks for the old key again.
 */
import { join } from 'node:path'
import { randomName } from '../store/files.ts'
import type { AnswerSink } from './answer-stream.ts'
import { MakingAnswer, type Make } from './making-answer.ts'

export type SharedLimits = {
  /** Where files are kept; it exists. */
  readonly directory: string
  /** Bytes of files, and of answers in memory. */
  readonly diskBytes: number
  readonly memoryBytes: number
}

type Kept = { readonly store: string; readonly bytes: number; readonly answer: MakingAnswer }

/** Keys that were asked for once. */
const MAX_SEEN = 4096

export class SharedAnswers {
  private readonly making = new Map<string, { readonly store: string; readonly answer: MakingAnswer }>()
  private readonly kept = new Map<string, Kept>()
  private readonly seen = new Set<string>()
  private memory = 0
  private disk = 0

  constructor(private readonly limits: SharedLimits) {}

  /**
   * Answers `key` into a sink; resolves when everything is put. `make` makes the answer and says whether it is one to
   * keep; it runs only when nobody else's can be had.
   */
  async answer(store: string, key: string, sink: AnswerSink, make: Make): Promise<void> {
    const kept = this.touch(key)
    if (kept !== null) return await kept.answer.join(sink)
    const running = this.making.get(key)
    if (running !== undefined && running.answer.isOpen) return await running.answer.join(sink)
    // A large answer is written to a file from the second time on: most are asked for once.
    const spool = this.seen.has(key) || running !== undefined
    this.note(key)
    const answer = new MakingAnswer(join(this.limits.directory, `kept-${randomName()}`), spool && this.limits.diskBytes > 0)
    this.making.set(key, { store, answer })
    const joined = answer.join(sink)
    void answer.run(make).finally(() => {
      const mine = this.making.get(key)?.answer === answer
      if (mine) this.making.delete(key)
      if (mine && answer.isWhole) this.keep(store, key, answer)
      else answer.drop()
    })
    await joined
  }

  /** The file that is the answer to `key`, byte for byte, or null. It can be opened for a minute from now on. */
  fileOf(key: string): { readonly path: string; readonly size: number } | null {
    const kept = this.touch(key)
    return kept?.answer.path == null ? null : { path: kept.answer.path, size: kept.answer.size }
  }

  /** Forgets the answers of a store that is removed. */
  forget(store: string): void {
    for (const [key, one] of this.kept) if (one.store === store) this.remove(key, one)
    for (const [key, one] of this.making) if (one.store === store) this.making.delete(key)
  }

  close(): void {
    for (const [key, one] of this.kept) this.remove(key, one)
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
    if (this.seen.size > MAX_SEEN) for (const oldest of this.seen) return void this.seen.delete(oldest)
  }

  private keep(store: string, key: string, answer: MakingAnswer): void {
    const { diskBytes, memoryBytes } = this.limits
    const onDisk = answer.path !== null
    const bytes = onDisk ? answer.size : answer.size + 1000
    // One answer may not push out everything else.
    if (bytes > (onDisk ? diskBytes / 2 : memoryBytes / 8)) return answer.drop()
    if (onDisk) this.disk += bytes
    else this.memory += bytes
    this.kept.set(key, { store, bytes, answer })
    for (const [oldest, one] of this.kept) {
      if (this.disk <= diskBytes && this.memory <= memoryBytes) return
      if (one.answer.path === null ? this.memory > memoryBytes : this.disk > diskBytes) this.remove(oldest, one)
    }
  }

  private remove(key: string, { bytes, answer }: Kept): void {
    this.kept.delete(key)
    if (answer.path === null) this.memory -= bytes
    else this.disk -= bytes
    answer.drop()
  }
}

