/** Callers who only read, and how long that takes them. */
import type { Random } from '../crash/random.ts'
import type { Board } from './board.ts'
import type { Name } from './doors.ts'
import type { Lives } from './lives.ts'
import type { ReadAsked, ReadDone } from './reads.worker.ts'

export class Readers {
  #times: number[] | null = null
  #on = false
  #work: Promise<void>[] = []
  #thread: Worker | null = null
  #asked = new Map<number, (done: ReadDone) => void>()
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
    const thread = new Worker(new URL('./reads.worker.ts', import.meta.url))
    thread.onmessage = ({ data }: MessageEvent<ReadDone>) => {
      this.#asked.get(data.id)?.(data)
      this.#asked.delete(data.id)
    }
    thread.onerror = ({ message }) =>
      void this.problems.push(`the thread of the readers failed: ${message}`)
    this.#thread = thread
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
    this.#thread?.terminate()
    this.#thread = null
  }

  #serial = 0
  #ask(asked: Omit<ReadAsked, 'id'>): Promise<ReadDone> {
    const id = this.#serial++
    return new Promise((resolve) => {
      this.#asked.set(id, resolve)
      this.#thread?.postMessage({ id, ...asked } satisfies ReadAsked)
    })
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
      const { took, status, ok, said } = await this.#ask({ url: life.url, token, name, input })
      // What an end cut into is not the time of a read.
      if (!life.over && ok) {
        this.#times?.push(took)
        if (took > (this.slowest.get(name) ?? 0)) this.slowest.set(name, took)
      }
      if (status !== null && status >= 500 && status !== 503)
        this.problems.push(`${name} ${JSON.stringify(input)} answered ${status}: ${said}`)
      if (status === null) {
        await Bun.sleep(200)
        if (!life.over) this.problems.push(`${name} got no answer while the forge was up: ${said}`)
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
