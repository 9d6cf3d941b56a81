/**
 * What a forge counts of itself while it runs: requests, time in the database, work of the git
 * engine. Numbers only; their names and text form are made by the door that shows them. What takes
 * longer than the settings say is slow is logged as well.
 */
import type { Git } from '#git'
import type { Log } from '#lib/log.ts'

/** Upper bounds in seconds; each series also counts what is above the last. */
export const BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
] as const

export class Histogram {
  readonly buckets = new Array<number>(BOUNDS.length + 1).fill(0)
  count = 0
  sum = 0

  add(seconds: number): void {
    let at = 0
    while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at++
    this.buckets[at] = (this.buckets[at] ?? 0) + 1
    this.count++
    this.sum += seconds
  }
}

export type Thresholds = { readonly query_ms: number; readonly git_ms: number }

/** Statements are logged without their values, and cut: they are ours, but some are pages long. */
const LONGEST_SQL = 300

export class Measures {
  /** By door, method and status, joined by spaces. */
  readonly requests = new Map<string, number>()
  /** Seconds to the first byte of an answer, by door. */
  readonly latency = new Map<string, Histogram>()
  /** Seconds of whole git operations, by name. */
  readonly git = new Map<string, Histogram>()
  /** Git operations under way, by name. */
  readonly gitNow = new Map<string, number>()
  readonly refused = new Map<string, number>()
  queries = 0
  query_ms = 0
  slow_queries = 0
  slow_git = 0

  /** `slow` is asked each time, since it may change while the forge runs; 0 logs nothing. */
  constructor(
    private readonly log: Log,
    private readonly slow: () => Thresholds,
  ) {}

  request(door: string, method: string, status: number, ms: number): void {
    const key = `${door} ${method} ${status}`
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1)
    histogram(this.latency, door).add(ms / 1000)
  }

  query(sql: string, ms: number): void {
    this.queries++
    this.query_ms += ms
    const { query_ms } = this.slow()
    if (query_ms === 0 || ms < query_ms) return
    this.slow_queries++
    this.log.warn('slow query', {
      ms: Math.round(ms * 100) / 100,
      sql: sql.replace(/\s+/g, ' ').slice(0, LONGEST_SQL),
    })
  }

  /** Something turned away for a reason of load: `rate`, `concurrency`, `crawler`, `disk_full`. */
  refuse(why: string): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1)
  }

  /** Notes that a git operation begins; the function that it gives notes its end, once. */
  begin(operation: string, about: Record<string, unknown> = {}): () => void {
    const started = performance.now()
    this.gitNow.set(operation, (this.gitNow.get(operation) ?? 0) + 1)
    let ended = false
    return () => {
      if (ended) return
      ended = true
      const ms = performance.now() - started
      this.gitNow.set(operation, (this.gitNow.get(operation) ?? 1) - 1)
      histogram(this.git, operation).add(ms / 1000)
      const { git_ms } = this.slow()
      if (git_ms === 0 || ms < git_ms) return
      this.slow_git++
      this.log.warn('slow git operation', { operation, ms: Math.round(ms), ...about })
    }
  }
}

function histogram(of: Map<string, Histogram>, name: string): Histogram {
  let one = of.get(name)
  if (!one) of.set(name, (one = new Histogram()))
  return one
}

/**
 * What is no operation, and what a door notes under the same name, from its beginning to the end of
 * its stream.
 */
const UNNOTED = new Set(['close', 'archive'])

/**
 * The same engine with the time of its operations noted. Transfers that stream are noted by the
 * doors, which see them end.
 */
export function measuredGit(git: Git, measures: Measures): Git {
  const measured: Record<string, unknown> = {}
  for (const [name, act] of Object.entries(git) as [string, unknown][]) {
    measured[name] =
      typeof act !== 'function' || UNNOTED.has(name)
        ? act
        : (...args: unknown[]): unknown => {
            const result: unknown = (act as (...given: unknown[]) => unknown).apply(git, args)
            if (!(result instanceof Promise)) return result
            const end = measures.begin(name, typeof args[0] === 'string' ? { store: args[0] } : {})
            result.then(end, end)
            return result
          }
  }
  return measured as unknown as Git
}
