/**
 * The log of a task while its runner sends rows. Rows become lines of the log: secrets are hidden,
 * commands are obeyed, a row with line feeds is several lines. Where the lines of a row begin is
 * kept, because runners name the rows of a step.
 */
import type { JobToRun } from '#features/workflows/index.ts'
import { nextTurn } from '#lib/waiting.ts'
import { LogWriter } from '#runner'
import type { Annotation } from '../execute/job-input.ts'
import { JobReport } from '../execute/job-report.ts'
import type { LogRow } from './messages.ts'

/** The row and the line that begins with it, where their distance changes. Both count from 0. */
export type Place = readonly [row: number, line: number]

/** More changes than this are left out: the lines of later steps begin a little too early then. */
const MAX_PLACES = 2_000
/** Rows are appended for so long before other events are let through. */
const TURN_MS = 10

export type LogStart = {
  readonly path: string
  readonly lines: number
  readonly bytes: number
  readonly rows: number
  readonly places: readonly Place[]
  readonly annotations: readonly Annotation[]
  /** What is hidden besides the secrets of the job. */
  readonly masks: readonly string[]
}

export class TaskLog {
  readonly #writer: LogWriter
  readonly #report: JobReport
  readonly #output: ReturnType<JobReport['outputOf']>
  readonly #places: Place[]
  readonly #earlier: readonly Annotation[]
  /** The line that begins with each row with annotations, to find their steps. */
  readonly #lines: number[] = []
  #rows: number
  #now = 0
  #isClosed = false

  constructor(
    start: LogStart,
    job: Pick<JobToRun, 'secrets' | 'token'> | null,
    clock: () => number,
  ) {
    this.#writer = new LogWriter(start.path, start)
    this.#rows = start.rows
    this.#places = [...start.places]
    this.#earlier = start.annotations
    this.#now = clock()
    this.#report = new JobReport(
      { log: this.#writer, now: () => this.#now, report: () => {} },
      false,
    )
    if (job) this.#report.masks.addSecrets([job.token, ...Object.values(job.secrets)])
    for (const value of start.masks) this.#report.hide(value)
    this.#output = this.#report.outputOf(0, { setOutput: () => {}, saveState: () => {} })
  }

  get rows(): number {
    return this.#rows
  }

  get lines(): number {
    return this.#writer.lines
  }

  get bytes(): number {
    return this.#writer.bytes
  }

  get places(): readonly Place[] {
    return this.#places
  }

  /** Annotations with the first line that they may belong to in place of a step. */
  get annotations(): readonly Annotation[] {
    const added = this.#report.annotations.map((annotation, index) => ({
      ...annotation,
      step: this.#lines[index] ?? 0,
    }))
    return [...this.#earlier, ...added]
  }

  /** What is hidden besides the secrets of the job. Only grows. */
  get masks(): ReadonlySet<string> {
    return this.#report.hidden
  }

  /** Whether a text holds a secret. */
  holdsSecret(text: string): boolean {
    return this.#report.masks.finds(text)
  }

  /**
   * Appends rows, one call at a time. `now` is for rows without a time of their own, and no row is
   * later. Throws when the log is closed meanwhile.
   */
  async append(rows: readonly LogRow[], now: number): Promise<void> {
    let beganMs = performance.now()
    for (const { time, content } of rows) {
      if (performance.now() - beganMs > TURN_MS) {
        await nextTurn()
        if (this.#isClosed) throw new Error('the log of a task was closed while rows were appended')
        beganMs = performance.now()
      }
      this.#now = Math.min(time ?? now, now)
      this.#place()
      const { length } = this.#report.annotations
      void this.#output.push(Buffer.from(`${content.replace(/\r?\n$/, '')}\n`))
      this.#output.end()
      for (let n = length; n < this.#report.annotations.length; n++) this.#lines.push(this.lines)
      this.#rows++
    }
  }

  /** The line of a row, counted from 1. */
  lineOf(row: number): number {
    let [from, line] = [0, 0]
    for (const [placed, at] of this.#places) {
      if (placed > row) break
      ;[from, line] = [placed, at]
    }
    return line + (row - from) + 1
  }

  close(): void {
    this.#isClosed = true
    this.#writer.close()
  }

  #place(): void {
    if (this.lineOf(this.#rows) === this.lines + 1 || this.#places.length >= MAX_PLACES) return
    this.#places.push([this.#rows, this.lines])
  }
}
