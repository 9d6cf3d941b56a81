/**
 * Writes the response of a fetch: negotiation lines, progress and the pack, in the order and
 * framing that the client requested.
 */
import type { GitError } from '../ports.ts'
import type { FetchRequest } from '../protocol/fetch-request.ts'
import type { Framer } from '../protocol/framer.ts'
import { DELIM, FLUSH, KEEP_ALIVE, bandPackets } from '../protocol/pkt-line.ts'
import type { Task } from './task.ts'

/** Milliseconds between two progress lines, and of silence before a keep-alive packet. */
const PROGRESS_INTERVAL_MS = 500
const KEEP_ALIVE_AFTER_MS = 5_000

export class FetchOutput {
  private progressAtMs = performance.now()
  private outputAtMs = performance.now()
  /** Whether the negotiation is over and the pack has begun, with side bands or bare. */
  private packStarted = false
  /** Whether the incomplete block contains output to send at once, such as progress. */
  private urgent = false

  constructor(
    private readonly framer: Framer,
    private readonly request: FetchRequest,
  ) {}

  /** Writes one line of the negotiation. */
  line(text: string): void {
    this.framer.line(this.request.sidebandAll ? `\x01${text}` : text)
  }

  flush(): void {
    this.framer.raw(FLUSH)
  }

  delim(): void {
    this.framer.raw(DELIM)
  }

  /** Ends the negotiation. The pack and its progress follow. */
  packStarts(): void {
    if (this.request.protocol === 2) this.line('packfile\n')
    this.packStarted = true
  }

  packEnds(total: number): void {
    this.progress(`Total ${total} objects, done.\n`)
    if (this.request.band !== 'none') this.framer.raw(FLUSH)
  }

  /**
   * Reports the progress of a long count at intervals. A client without progress gets a keep-alive
   * packet instead.
   */
  counting(what: string, count: () => number): void {
    const now = performance.now()
    if (now - this.progressAtMs >= PROGRESS_INTERVAL_MS) {
      this.progressAtMs = now
      this.progress(`${what}: ${count()}\r`)
    }
    if (
      now - this.outputAtMs >= KEEP_ALIVE_AFTER_MS &&
      this.packStarted &&
      this.request.band !== 'none'
    ) {
      this.framer.raw(KEEP_ALIVE)
      this.urgent = true
    }
  }

  counted(what: string, count: number): void {
    this.progress(`${what}: ${count}, done.\n`)
  }

  progress(text: string): void {
    if (!this.request.progress || !this.packStarted || this.request.band === 'none') return
    this.framer.raw(
      bandPackets(2, Buffer.from(text), this.request.band === 'small' ? 995 : undefined),
    )
    this.urgent = true
  }

  /**
   * Reports an error: as an `ERR` line before the pack, on side band 3 within it. A bare pack can
   * only be cut off.
   */
  fail(error: GitError): void {
    const text = error.message.replace(/[\n\r]+/g, ' ').slice(0, 900)
    if (!this.packStarted) this.framer.line(`ERR ${text}\n`)
    else if (this.request.band !== 'none') this.framer.raw(bandPackets(3, Buffer.from(`${text}\n`)))
    else throw error
  }

  /** Yields the complete blocks, or everything when `all` is set or output is urgent. */
  *drain(all: boolean): Task<void> {
    const blocks = this.framer.take(all || this.urgent)
    this.urgent = false
    for (const block of blocks) {
      this.outputAtMs = performance.now()
      yield block
    }
  }
}
