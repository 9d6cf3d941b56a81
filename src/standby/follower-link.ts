/**
 * The primary's side of one standby. Files are sent before the commits that name them. A standby
 * that cannot go on where it was gets all files first, then the database.
 */
import { statSync } from 'node:fs'
import { SECOND, MINUTE } from '#lib/time.ts'
import { sendBase } from './base-copy.ts'
import { ChannelError, type Channel } from './channel.ts'
import type { CommitQueue } from './commit-queue.ts'
import { FileSender } from './file-sender.ts'

/** Commits are sent together up to this size. */
const MAX_BATCH_BYTES = 4 * 1024 ** 2
/** All files are compared this often, or as often as takes a twentieth of the time. */
const COMPARE_INTERVAL_MS = MINUTE
const COMPARE_SHARE = 20

/** What a link needs of the primary. */
export type Feed = {
  readonly data: string
  readonly database: string
  readonly pageSize: number
  readonly queue: CommitQueue
  /** The noted paths so far. They are noted again when the link ends before they are confirmed. */
  takeNotes(): readonly string[]
  confirmNotes(paths: readonly string[]): void
  hasNotes(): boolean
  /** Resolves when there is a new commit or note. */
  changed(): Promise<void>
  /** Reads the log from its beginning while the returned function was not called. */
  holdLog(): () => void
  /** Notes files from here on, although no commit is queued yet. */
  startNotes(): void
  readHeldLog(): Uint8Array | null
  /** Ends the held reading: from here on each commit is queued. */
  startQueue(): void
}

export class FollowerLink {
  readonly files: FileSender
  /** Whether the standby follows the commits, with all files. */
  isReady = false
  #sent = 0
  #sentWaiters: (() => void)[] = []
  #endPause: () => void = () => {}
  /** The last call of `sendPending`, without its error. */
  #lastSending: Promise<void> = Promise.resolve()

  constructor(
    readonly channel: Channel,
    /** Where the standby listens, for later. */
    readonly address: string,
    private readonly feed: Feed,
    private readonly onReady: () => void,
  ) {
    this.files = new FileSender(feed.data, channel)
  }

  /** Sends until the connection ends, and then throws. `resumeAfter` is the standby's position. */
  async run(resumeAfter: number | null): Promise<never> {
    if (resumeAfter === null) {
      // A file that comes into a directory that was compared already, before the log is held.
      this.feed.startNotes()
      await this.files.sendAll(null)
      await this.#sendDatabase()
    } else this.#sent = resumeAfter
    await this.channel.send({ type: 'following' })
    await this.files.confirm()
    this.isReady = true
    this.onReady()
    void this.#compareRegularly()
    for (;;) {
      await this.sendPending()
      if (this.#sent === this.feed.queue.last && !this.feed.hasNotes()) await this.feed.changed()
      if (!this.channel.isOpen) await this.channel.receive()
    }
  }

  /**
   * Sends all notes and commits so far. One call waits for the other, because both would send the
   * same commits, and the later one could send a commit before the files of its notes.
   */
  sendPending(): Promise<void> {
    const sending = this.#lastSending.then(() => this.#sendPendingNow())
    this.#lastSending = sending.catch(() => {})
    return sending
  }

  async #sendPendingNow(): Promise<void> {
    const until = this.feed.queue.last
    await this.#sendNotes()
    while (this.#sent < until) {
      const commits = this.feed.queue.after(this.#sent, until, MAX_BATCH_BYTES)
      const last = commits.at(-1)
      if (!last) break
      await this.channel.send(
        { type: 'commits', last: last.number, at_ms: last.at_ms },
        Buffer.concat(commits.map(({ frames }) => frames)),
      )
      this.#sent = last.number
    }
    this.#sent = Math.max(this.#sent, until)
    for (const resolve of this.#sentWaiters.splice(0)) resolve()
  }

  /** Compares and sends the files that are noted nowhere, such as logs. */
  async sendOtherFiles(): Promise<void> {
    await this.files.sendAll(null, (directory) => directory === 'repos' || directory === 'blobs')
  }

  close(error: Error): void {
    this.isReady = false
    this.#endPause()
    this.files.close(error)
    for (const resolve of this.#sentWaiters.splice(0)) resolve()
    this.channel.close(error)
  }

  async #sendNotes(): Promise<void> {
    // The notes of an ended link belong to the next one.
    if (!this.channel.isOpen) throw new ChannelError('the connection was closed')
    const notes = this.feed.takeNotes()
    if (notes.length === 0) return
    await this.files.sendPaths(notes)
    // Messages are handled in order, so the commits that follow need not wait for this answer.
    this.files.confirm().then(
      () => this.feed.confirmNotes(notes),
      () => {},
    )
  }

  async #sendDatabase(): Promise<void> {
    const release = this.feed.holdLog()
    try {
      await sendBase(this.feed.database, this.channel, async (first, hashes) => {
        const { blocks } = await this.files.request({ type: 'hashes', first }, hashes)
        return blocks as readonly number[]
      })
      for (let piece = this.feed.readHeldLog(); piece !== null; piece = this.feed.readHeldLog())
        await this.channel.send({ type: 'base_frames' }, piece)
      // Nothing can be committed between the end of the log and this.
      this.feed.startQueue()
      this.#sent = this.feed.queue.last
      const pages = Math.floor(statSync(this.feed.database).size / this.feed.pageSize)
      await this.#sendNotes()
      await this.channel.send({ type: 'base_end', pages, commit: this.#sent })
    } finally {
      release()
    }
  }

  async #compareRegularly(): Promise<void> {
    let waitMs = SECOND
    for (;;) {
      await this.#pause(waitMs)
      if (!this.channel.isOpen) return
      const startedMs = performance.now()
      try {
        await this.files.sendAll(() => this.#sentUpTo(this.feed.queue.last))
      } catch (error) {
        // The standby connects again. Without comparisons it would lack files, and nobody would know.
        return this.close(error as Error)
      }
      waitMs = Math.max(COMPARE_INTERVAL_MS, COMPARE_SHARE * (performance.now() - startedMs))
    }
  }

  /** Waits for a time, or until the link closes. */
  async #pause(milliseconds: number): Promise<void> {
    if (!this.channel.isOpen) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    this.#endPause = resolve
    await promise
    clearTimeout(timer)
  }

  async #sentUpTo(commit: number): Promise<void> {
    while (this.#sent < commit && this.channel.isOpen)
      await new Promise<void>((resolve) => this.#sentWaiters.push(resolve))
  }
}
