/** The log of a job of this process. It stops before the disk is full: the database needs the rest. */
import { diskFull, hasDiskSpace } from '#core/disk-space.ts'
import type { Hearth } from '#core/hearth.ts'
import type { LogWriter } from '#runner'
import type { LogSink } from './execute/job-input.ts'

export class GuardedLog implements LogSink {
  #isFull = false

  constructor(
    private readonly hearth: Hearth,
    private readonly log: LogWriter,
  ) {}

  /** Whether a write was refused because the disk is full. */
  get isFull(): boolean {
    return this.#isFull
  }

  get bytes(): number {
    return this.log.bytes
  }

  get lines(): number {
    return this.log.lines
  }

  write(data: Uint8Array, at: number): void {
    if (!hasDiskSpace(this.hearth)) {
      this.#isFull = true
      throw diskFull()
    }
    this.log.write(data, at)
  }
}
