/** Callers who only read, and how long that takes them. */
import type { Random } from '../crash/random.ts'
import type { Board } from './board.ts'
import { askRest, type Name } from './doors.ts'
import type { Lives } from './lives.ts'

export class Readers {
  #times: number[] | null = null
  #on = false
  #work: Promise<void>[] = []
  readonly problems: string[] = []
  /** The slowest of what was measured last, by operation. */
  readonly slowest = new Map<string, number>()

  constructor(
    private readonly lives: Lives,
    private readonly board: Board,
    private readonly tokens: readonly string[],
    private readonly random: Random,
  ) {}

  begin(): void {
    this.#on = true
    this.#work = this.tokens.map((token) => this.#read(token))
  }

  /** From here on times are counted anew. */
  measure(): number[] {
    this.slowest.clear()
    return (this.#times = [])
  }

  rest(): void {
    this.#times = null
  }

  async end(): Promise<void> {
    this.#on = false
    await Promise.all(this.#work)
  }

  #question(): [Name, Record<string, unknown>] {
    const { random, board } = this
    const place = board.places[Math.floor(random.next() * board.places.length)]
    const repo = place?.repo ?? ''
    const seen = [...board.open, ...board.merged].filter((one) => one.place === place)
    const one = seen[Math.floor(random.next() * seen.length)]
    const chance = random.next()
    if (one && chance < 0.35) return ['get_pull', { repo, number: one.number }]
    if (one && chance < 0.45) return ['get_pull_changes', { repo, number: one.number }]
    if (chance < 0.6) return ['list_pulls', { repo, state: 'all' }]
    if (chance < 0.75) return ['list_issues', { repo }]
    if (chance < 0.9) return ['list_events', { repo }]
    return ['get_tree', { repo, ref: 'main' }]
  }

  async #read(token: string): Promise<void> {
    while (this.#on) {
      const life = await this.lives.now()
      const [name, input] = this.#question()
      const began = performance.now()
      try {
        const answer = await askRest(life, token, name, input)
        const took = performance.now() - began
        // What an end cut into is not the time of a read.
        if (!life.over && answer.ok) {
          this.#times?.push(took)
          if (took > (this.slowest.get(name) ?? 0)) this.slowest.set(name, took)
        }
        if (answer.status >= 500 && answer.status !== 503) this.problems.push(`${name} ${JSON.stringify(input)} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`)
      } catch (error) {
        await Bun.sleep(200)
        if (!life.over) this.problems.push(`${name} got no answer while the forge was up: ${error instanceof Error ? error.message : String(error)}`)
      }
      await Bun.sleep(this.random.between(5, 30))
    }
  }
}

/** The part of sorted times, in milliseconds. */
export const at = (times: readonly number[], part: number): number => {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
