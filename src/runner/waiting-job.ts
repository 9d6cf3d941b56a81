/**
 * Keeps one started sandbox for the next job. Its start takes longer than everything else before the
 * first line of a job. A job takes it when it is of the same kind as the one before; nothing has run
 * in it. It goes when a job of another kind comes, and after a minute without one.
 */
import type { JobDirectory } from './job-directory.ts'
import type { RunningJob } from './job.ts'
import type { CommandLimits } from './limits.ts'
import type { Network } from './network.ts'

/** What a sandbox is made for; jobs of one repository are mostly of one kind. */
export type JobKind = {
  readonly name: string
  readonly limits: CommandLimits
  readonly network: Network | undefined
  readonly hasDoor: boolean
}

export type StartedJob = { readonly directory: JobDirectory; readonly job: RunningJob }

/** The next one is made when the job before has had its own start. */
const PREPARE_DELAY_MS = 250
const KEEP_MS = 60_000

const keyOf = ({ name, limits, network, hasDoor }: JobKind): string =>
  JSON.stringify([name, network ?? null, hasDoor, Object.entries(limits).toSorted()])

export class WaitingJob {
  #waiting: { readonly key: string; readonly started: Promise<StartedJob | null> } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly start: (kind: JobKind) => Promise<StartedJob>,
    private readonly discard: (started: StartedJob) => Promise<void>,
  ) {}

  /** The one that waits; null when there is none of this kind. */
  async take(kind: JobKind): Promise<StartedJob | null> {
    const waiting = this.#waiting
    if (waiting?.key !== keyOf(kind)) {
      await this.clear()
      return null
    }
    this.#waiting = null
    clearTimeout(this.#timer)
    return waiting.started
  }

  /** Makes one in a moment, unless one waits. */
  prepare(kind: JobKind): void {
    if (this.#waiting !== null) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const started = this.start(kind).catch(() => null)
      this.#waiting = { key: keyOf(kind), started }
      this.#timer = setTimeout(() => void this.clear(), KEEP_MS)
      this.#timer.unref()
    }, PREPARE_DELAY_MS)
    this.#timer.unref()
  }

  /** Ends the one that waits. */
  async clear(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = null
    clearTimeout(this.#timer)
    const started = await waiting?.started
    if (started) await this.discard(started)
  }
}
