/**
 * Lines, progress and the pack of a fetch's answer, in the order and the framing that the client
 * asked for.
 */
import type { GitError } from '../ports.ts'
import type { FetchRequest } from '../protocol/fetch-request.ts'
import type { Framer } from '../protocol/framer.ts'
import { DELIM, FLUSH, KEEP_ALIVE, bandPackets } from '../protocol/pkt-line.ts'
import type { Task } from './task.ts'

/** Milliseconds between two lines of progress, and after which silence is broken. */
const PROGRESS_EVERY = 500
const SILENCE = 5_000

export class FetchOutput {
  private shown = performance.now()
  private sent = performance.now()
  /** Whether the negotiation is over and packets of side bands flow, or the bare pack. */
  private packing = false
  /** Whether somebody waits for what is in the open block. */
  private urgent = false

  constructor(
    private readonly framer: Framer,
    private readonly request: FetchRequest,
  ) {}

  /** One line of negotiation. */
  line(text: string): void {
    this.framer.line(this.request.sidebandAll ? `\x01${text}` : text)
  }

  flush(): void {
    this.framer.raw(FLUSH)
  }

  delim(): void {
    this.framer.raw(DELIM)
  }

  /** The negotiation is over: what follows is the pack and what is said about it. */
  packStarts(): void {
    if (this.request.protocol === 2) this.line('packfile\n')
    this.packing = true
  }

  packEnds(total: number): void {
    this.progress(`Total ${total} objects, done.\n`)
    if (this.request.band !== 'none') this.framer.raw(FLUSH)
  }

  /**
   * Where a long count stands; shown now and then. A client that wants no progress gets a sign of
   * life instead.
   */
  counting(what: string, count: number): void {
    const now = performance.now()
    if (now - this.shown >= PROGRESS_EVERY) {
      this.shown = now
      this.progress(`${what}: ${count}\r`)
    }
    if (now - this.sent >= SILENCE && this.packing && this.request.band !== 'none') {
      this.framer.raw(KEEP_ALIVE)
      this.urgent = true
    }
  }

  counted(what: string, count: number): void {
    this.progress(`${what}: ${count}, done.\n`)
  }

  progress(text: string): void {
    if (!this.request.progress || !this.packing || this.request.band === 'none') return
    this.framer.raw(
      bandPackets(2, Buffer.from(text), this.request.band === 'small' ? 995 : undefined),
    )
    this.urgent = true
  }

  /**
   * An error: `ERR` while lines are spoken, side band 3 once bands flow. A bare pack can only be
   * cut off.
   */
  fail(error: GitError): void {
    const text = error.message.replace(/[\n\r]+/g, ' ').slice(0, 900)
    if (!this.packing) this.framer.line(`ERR ${text}\n`)
    else if (this.request.band !== 'none') this.framer.raw(bandPackets(3, Buffer.from(`${text}\n`)))
    else throw error
  }

  /** Gives what is ready; everything when asked to, or when somebody waits for it. */
  *drain(all: boolean): Task<void> {
    const blocks = this.framer.take(all || this.urgent)
    this.urgent = false
    for (const block of blocks) {
      this.sent = performance.now()
      yield block
    }
  }
}
