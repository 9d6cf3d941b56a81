/** Looks for problems in the output of steps, within a budget: the expressions are a stranger's. */
import { MatcherFault, ProblemMatchers } from '#actions'

/** Matchers hold up everything else: one piece of output at most so long, and a job in all. */
const MAX_PIECE_MS = 150
const MAX_JOB_MS = 5_000
/** A longer line is no message of a compiler. */
const MAX_LINE_BYTES = 4_096

type Problem = NonNullable<ReturnType<ProblemMatchers['match']>>

export class OutputProblems {
  readonly #matchers = new ProblemMatchers()
  #usedMs = 0
  #isOff = false
  isOverBudget = false

  constructor(private readonly now: () => number = () => performance.now()) {}

  get isEmpty(): boolean {
    return this.#matchers.isEmpty
  }

  /** Adds the matchers of a file. Returns why they are not used; null when they are. */
  add(text: string | null): string | null {
    if (this.#isOff || this.#usedMs > MAX_JOB_MS) return 'matchers took too long before'
    if (text === null)
      return 'there is no such file of at most 64 KiB in the workspace or the action'
    const beganMs = this.now()
    try {
      this.#matchers.add(text)
      return null
    } catch (error) {
      if (!(error instanceof MatcherFault)) throw error
      return error.message
    } finally {
      this.#usedMs += this.now() - beganMs
    }
  }

  remove(owner: string): void {
    this.#matchers.remove(owner)
  }

  /** No more is looked for in this job. */
  giveUp(): void {
    this.#isOff = true
    this.isOverBudget = false
    this.#matchers.clear()
  }

  /** The problems in whole lines, until the budget is used up. */
  *find(lines: Buffer): Generator<Problem> {
    const beganMs = this.now()
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf(0x0a, from)
      const to = end < 0 ? lines.length : end
      const text = to - from > MAX_LINE_BYTES ? '' : lines.toString('utf8', from, to)
      const problem = this.#matchers.match(text.replace(/\r$/, ''))
      if (problem) yield problem
      from = to + 1
      const ms = this.now() - beganMs
      if (ms > MAX_PIECE_MS || this.#usedMs + ms > MAX_JOB_MS) {
        this.isOverBudget = true
        break
      }
    }
    this.#usedMs += this.now() - beganMs
  }
}
