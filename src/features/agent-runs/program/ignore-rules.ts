/**
 * The rules of `.gitignore` for what a program leaves behind, within a budget: the rules and the
 * paths are a stranger's, and one path may take seconds.
 */
import { patternMatchesPath } from '#features/repos/index.ts'
import { ownThreadCpuMs } from '#lib/threads/thread.ts'
import { nextTurn } from '#lib/waiting.ts'
import { ToolError } from '../tool.ts'

const MAX_RULES = 500
/** Processor time of all paths of one turn. */
const MAX_MS = 10_000
/** The rest of the server gets a turn after so much. */
const TURN_MS = 20

type Rule = { readonly pattern: string; readonly isNegated: boolean }

export class IgnoreRules {
  /** The last one first. */
  readonly #rules: readonly Rule[]
  #usedMs = 0
  #sinceTurnMs = 0

  constructor(
    text: string,
    private readonly now: () => number = ownThreadCpuMs,
  ) {
    this.#rules = text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .slice(0, MAX_RULES)
      .map((line) => ({ pattern: line.replace(/^!/, ''), isNegated: line.startsWith('!') }))
      .toReversed()
  }

  /**
   * Whether a new file is ignored; the last rule that matches decides. Throws `ToolError` once all
   * paths together took too long.
   */
  async ignores(path: string): Promise<boolean> {
    for (const { pattern, isNegated } of this.#rules) {
      const beganMs = this.now()
      const matches = patternMatchesPath(pattern, path)
      this.#spend(this.now() - beganMs)
      if (this.#sinceTurnMs >= TURN_MS) {
        this.#sinceTurnMs = 0
        await nextTurn()
      }
      if (matches) return !isNegated
    }
    return false
  }

  #spend(ms: number): void {
    this.#usedMs += ms
    this.#sinceTurnMs += ms
    if (this.#usedMs > MAX_MS)
      throw new ToolError('it left so many files that the rules of .gitignore take too long')
  }
}
