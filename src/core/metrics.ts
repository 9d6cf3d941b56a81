/**
 * Counters of a running forge: requests, database time, git operations. `http/metrics.ts` exports
 * them at `/metrics`. Queries and git operations above the thresholds of the settings are logged
 * as slow.
 */
import type { Git } from '#git'
import type { Log } from '#lib/log.ts'

/** Upper bounds of the buckets of a histogram. A last bucket counts the values above them. */
export const BUCKET_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
] as const

export class Histogram {
  readonly buckets = new Array<number>(BUCKET_BOUNDS_SECONDS.length + 1).fill(0)
  count = 0
  sum = 0

  add(seconds: number): void {
    let bucket = 0
    while (bucket < BUCKET_BOUNDS_SECONDS.length && seconds > (BUCKET_BOUNDS_SECONDS[bucket] ?? 0))
      bucket++
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1
    this.count++
    this.sum += seconds
  }
}

/** Milliseconds above which a query or git operation is logged; 0 logs none. */
export type SlowThresholds = { readonly query_ms: number; readonly git_ms: number }

/** Logged SQL has no parameter values and is cut to this length. */
const MAX_LOGGED_SQL_CHARS = 300

export class Metrics {
  /** Counts by `<door> <method> <status>`. A door is one of REST, tools, git and pages. */
  readonly requests = new Map<string, number>()
  /** Seconds to the first byte of a response, by door. */
  readonly latency = new Map<string, Histogram>()
  /** Seconds of complete git operations, by name. */
  readonly gitDurations = new Map<string, Histogram>()
  /** Running git operations, by name. */
  readonly gitInFlight = new Map<string, number>()
  /** Refused requests by cause: `rate`, `concurrency`, `late`, `crawler`, `disk_full`. */
  readonly refusals = new Map<string, number>()
  queries = 0
  query_ms = 0
  slow_queries = 0
  slow_git = 0

  /** `thresholds` is called each time, because the settings may change while the forge runs. */
  constructor(
    private readonly log: Log,
    private readonly thresholds: () => SlowThresholds,
  ) {}

  recordRequest(door: string, method: string, status: number, ms: number): void {
    const key = `${door} ${method} ${status}`
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1)
    histogramOf(this.latency, door).add(ms / 1000)
  }

  recordQuery(sql: string, ms: number): void {
    this.queries++
    this.query_ms += ms
    const { query_ms } = this.thresholds()
    if (query_ms === 0 || ms < query_ms) return
    this.slow_queries++
    this.log.warn('slow query', {
      ms: Math.round(ms * 100) / 100,
      sql: sql.replace(/\s+/g, ' ').slice(0, MAX_LOGGED_SQL_CHARS),
    })
  }

  recordRefusal(cause: string): void {
    this.refusals.set(cause, (this.refusals.get(cause) ?? 0) + 1)
  }

  /** Counts a git operation as running. The returned function records its end, once. */
  startGitOperation(operation: string, logFields: Record<string, unknown> = {}): () => void {
    const startedMs = performance.now()
    this.gitInFlight.set(operation, (this.gitInFlight.get(operation) ?? 0) + 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      const ms = performance.now() - startedMs
      this.gitInFlight.set(operation, (this.gitInFlight.get(operation) ?? 1) - 1)
      histogramOf(this.gitDurations, operation).add(ms / 1000)
      const { git_ms } = this.thresholds()
      if (git_ms === 0 || ms < git_ms) return
      this.slow_git++
      this.log.warn('slow git operation', { operation, ms: Math.round(ms), ...logFields })
    }
  }
}

function histogramOf(series: Map<string, Histogram>, name: string): Histogram {
  let histogram = series.get(name)
  if (!histogram) series.set(name, (histogram = new Histogram()))
  return histogram
}

/**
 * Methods of the engine that are not timed here. `close` is no operation. The HTTP server records
 * `archive` itself, up to the end of its stream. `streamBlob` lasts as long as its reader takes.
 */
const UNTIMED = new Set(['close', 'archive', 'streamBlob'])

/**
 * An engine that records the time of its operations. The HTTP server records streamed transfers,
 * because it sees their end.
 */
export function instrumentGit(git: Git, metrics: Metrics): Git {
  const instrumented: Record<string, unknown> = {}
  for (const name of methodNames(git)) {
    const method: unknown = Reflect.get(git, name)
    if (typeof method !== 'function') instrumented[name] = method
    else if (UNTIMED.has(name)) instrumented[name] = method.bind(git)
    else
      instrumented[name] = (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(method, git, args)
        if (!(result instanceof Promise)) return result
        const [store] = args
        const end = metrics.startGitOperation(name, typeof store === 'string' ? { store } : {})
        result.then(end, end)
        return result
      }
  }
  return instrumented as unknown as Git
}

/** The properties of an object and of its class. */
function methodNames(object: object): Set<string> {
  const prototype: unknown = Object.getPrototypeOf(object)
  const inherited =
    prototype === null || prototype === Object.prototype
      ? []
      : Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return new Set([...Object.keys(object), ...inherited])
}
