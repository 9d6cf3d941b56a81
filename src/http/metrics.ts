/**
 * The metrics of a forge in the text format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). Only site administrators, clients
 * with the token of the settings (`metrics.token`) and its addresses (`metrics.allow`) may read
 * them, because they show how a site is used.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eventLoopProbe } from '#core/event-loop.ts'
import { gauges } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { countJobs, QUEUE_CONCURRENCY } from '#core/jobs.ts'
import { BUCKET_BOUNDS_SECONDS, type Histogram } from '#core/metrics.ts'
import { missingScope } from '#core/scopes.ts'
import { Refusal } from '#lib/errors.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { isAmong, parseBlock } from '#lib/net.ts'
import { bearerSecret, callerOf } from './authenticate.ts'
import type { Exchange } from './exchange.ts'
import { transferSemaphore } from './git/transfers.ts'

type Labels = Readonly<Record<string, string>>
type Kind = 'counter' | 'gauge' | 'histogram'

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
const renderLabels = (labels: Labels): string => {
  const inner = Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
  return inner === '' ? '' : `{${inner}}`
}

/** The metrics of every forge, without the prefix `hearth_`. The documentation is made from this. */
export const METRICS = {
  info: ['gauge', 'Always 1; the label is the release.'],
  start_time_seconds: ['gauge', 'When the process started, in seconds of Unix time.'],
  http_requests_total: ['counter', 'Requests, by entry point (door), method and status.'],
  http_request_seconds: ['histogram', 'Seconds until a response began, by entry point (door).'],
  refused_total: ['counter', 'Requests refused because of load or a rate limit, by reason.'],
  git_operation_seconds: ['histogram', 'Seconds of git operations, by operation.'],
  git_operations_running: ['gauge', 'Git operations that run, by operation.'],
  git_places_busy: [
    'gauge',
    'Permits of the git engine in use, by kind: packs for transfers and archives, reads for history.',
  ],
  git_waiting: [
    'gauge',
    'Git work that waits for a permit, by kind; transfers wait for other transfers of the same caller.',
  ],
  slow_queries_total: ['counter', 'Database queries that took longer than log_slow_query_ms.'],
  slow_git_operations_total: ['counter', 'Git operations that took longer than log_slow_git_ms.'],
  database_queries_total: ['counter', 'Database queries on the main thread.'],
  database_seconds_total: ['counter', 'Seconds of database queries on the main thread.'],
  database_bytes: ['gauge', 'Size of the database file.'],
  database_wal_bytes: ['gauge', 'Size of its write-ahead log.'],
  jobs: ['gauge', 'Background jobs in the table, by kind and state.'],
  job_concurrency: ['gauge', 'Jobs of a queue that may run at once.'],
  jobs_running: ['gauge', 'Jobs that run, by queue; the queue commands runs checks.'],
  disk_free_bytes: ['gauge', 'Free bytes on the disk of the data directory.'],
  disk_size_bytes: ['gauge', 'Size of that disk.'],
  resident_memory_bytes: ['gauge', 'Resident memory of the process.'],
  heap_bytes: ['gauge', 'Memory that JavaScript uses.'],
  cpu_seconds_total: ['counter', 'Processor time of the process, by mode.'],
  event_loop_longest_turn_seconds: [
    'gauge',
    'The longest that one piece of work kept the main thread from all others, since the last scrape and in the last minute.',
  ],
  event_loop_longest_turn_cpu_seconds: [
    'gauge',
    'The same without the time in which the main thread waited for a disk or a processor.',
  ],
  cache_bytes: ['gauge', 'Bytes that a cache in memory holds, by cache.'],
  cache_max_bytes: ['gauge', 'Bytes that a cache in memory may hold, by cache.'],
  open_fds: ['gauge', 'Open file descriptors; absent where the system does not report them.'],
} as const satisfies Record<string, readonly [Kind, string]>

type Name = keyof typeof METRICS

/** The text of a scrape. */
class MetricsText {
  readonly #lines: string[] = []

  head(name: string, kind: Kind, help: string): void {
    this.#lines.push(
      `# HELP hearth_${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', ' ')}`,
      `# TYPE hearth_${name} ${kind}`,
    )
  }

  sample(name: string, value: number, labels: Labels = {}): void {
    this.#lines.push(`hearth_${name}${renderLabels(labels)} ${value}`)
  }

  /** Adds a metric of `METRICS`. Unknown values (null) are left out. */
  add(name: Name, samples: Iterable<readonly [number | null, Labels?]>): void {
    const [kind, help] = METRICS[name]
    this.head(name, kind, help)
    for (const [value, labels] of samples) if (value !== null) this.sample(name, value, labels)
  }

  histograms(name: Name, label: string, all: ReadonlyMap<string, Histogram>): void {
    const [kind, help] = METRICS[name]
    this.head(name, kind, help)
    for (const [key, histogram] of all) {
      let below = 0
      histogram.buckets.forEach((count, at) => {
        below += count
        this.sample(`${name}_bucket`, below, {
          [label]: key,
          le: String(BUCKET_BOUNDS_SECONDS[at] ?? '+Inf'),
        })
      })
      this.sample(`${name}_sum`, histogram.sum, { [label]: key })
      this.sample(`${name}_count`, histogram.count, { [label]: key })
    }
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`
  }
}

const orNull = (read: () => number): number | null => {
  try {
    return read()
  } catch {
    return null
  }
}

/** All metrics of this moment. */
function metricsText(hearth: Hearth): string {
  const text = new MetricsText()
  text.add('info', [[1, { version: hearth.settings.version }]])
  text.add('start_time_seconds', [[Math.round(hearth.clock.now() / 1000 - process.uptime())]])
  addRequests(text, hearth)
  addGit(text, hearth)
  addDatabase(text, hearth)
  addJobs(text, hearth)
  addEventLoop(text, hearth)
  addMachine(text, hearth)
  for (const { name, help, read } of gauges.all(hearth)) {
    text.head(name, 'gauge', help)
    text.sample(name, read(hearth))
  }
  return text.toString()
}

function addRequests(text: MetricsText, { metrics }: Hearth): void {
  text.add(
    'http_requests_total',
    [...metrics.requests].map(([key, count]) => {
      const [door = '', method = '', status = ''] = key.split(' ')
      return [count, { door, method, status }] as const
    }),
  )
  text.histograms('http_request_seconds', 'door', metrics.latency)
  text.add(
    'refused_total',
    [...metrics.refusals].map(([reason, count]) => [count, { reason }] as const),
  )
}

function addGit(text: MetricsText, hearth: Hearth): void {
  const { metrics } = hearth
  const { packs, reads } = hearth.git.load()
  text.histograms('git_operation_seconds', 'operation', metrics.gitDurations)
  text.add(
    'git_operations_running',
    [...metrics.gitInFlight].map(([operation, count]) => [count, { operation }] as const),
  )
  text.add('git_places_busy', [
    [packs.running, { kind: 'packs' }],
    [reads.running, { kind: 'reads' }],
  ])
  text.add('git_waiting', [
    [packs.waiting, { kind: 'packs' }],
    [reads.waiting, { kind: 'reads' }],
    [transferSemaphore(hearth).waiting, { kind: 'transfers' }],
  ])
}

function addDatabase(text: MetricsText, { metrics, settings }: Hearth): void {
  const size = (name: string) => orNull(() => statSync(join(settings.data, name)).size)
  text.add('slow_queries_total', [[metrics.slow_queries]])
  text.add('slow_git_operations_total', [[metrics.slow_git]])
  text.add('database_queries_total', [[metrics.queries]])
  text.add('database_seconds_total', [[metrics.query_ms / 1000]])
  text.add('database_bytes', [[size('hearth.db')]])
  text.add('database_wal_bytes', [[size('hearth.db-wal')]])
}

function addJobs(text: MetricsText, { db, jobs }: Hearth): void {
  const queues = Object.keys(QUEUE_CONCURRENCY) as (keyof typeof QUEUE_CONCURRENCY)[]
  text.add(
    'jobs',
    countJobs(db).map(({ kind, state, count }) => [count, { kind, state }] as const),
  )
  text.add(
    'job_concurrency',
    queues.map((queue) => [QUEUE_CONCURRENCY[queue], { queue }] as const),
  )
  text.add(
    'jobs_running',
    queues.map((queue) => [jobs.runningIn(queue), { queue }] as const),
  )
}

function addEventLoop(text: MetricsText, hearth: Hearth): void {
  const probe = eventLoopProbe(hearth)
  const periods = [
    ['scrape', probe.takeLongest()],
    ['minute', probe.longestOfMinute()],
  ] as const
  text.add(
    'event_loop_longest_turn_seconds',
    periods.map(([since, { ms }]) => [ms / 1000, { since }] as const),
  )
  text.add(
    'event_loop_longest_turn_cpu_seconds',
    periods.map(([since, { cpuMs }]) => [cpuMs / 1000, { since }] as const),
  )
}

/** Disk, memory and processor. */
function addMachine(text: MetricsText, { settings, caches }: Hearth): void {
  const disk = (read: (of: { bavail: number; blocks: number; bsize: number }) => number) =>
    orNull(() => read(statfsSync(settings.data)))
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  const reports = caches.report()
  text.add('disk_free_bytes', [[disk(({ bavail, bsize }) => bavail * bsize)]])
  text.add('disk_size_bytes', [[disk(({ blocks, bsize }) => blocks * bsize)]])
  text.add('resident_memory_bytes', [[memory.rss]])
  text.add('heap_bytes', [[memory.heapUsed]])
  text.add('cpu_seconds_total', [
    [cpu.user / 1e6, { mode: 'user' }],
    [cpu.system / 1e6, { mode: 'system' }],
  ])
  text.add(
    'cache_bytes',
    reports.map(({ name, bytes }) => [bytes, { cache: name }] as const),
  )
  text.add(
    'cache_max_bytes',
    reports.map(({ name, maxBytes }) => [maxBytes, { cache: name }] as const),
  )
  text.add('open_fds', [[orNull(() => readdirSync('/proc/self/fd').length)]])
}

/** Compares digests of equal length, so that the time reveals nothing of the token. */
const isEqualSecret = (a: string, b: string): boolean =>
  sameBytes(hmacSha256('metrics', a), hmacSha256('metrics', b))

/** Throws 401 or 403 for callers that may not read the metrics. */
function requireReader(hearth: Hearth, exchange: Exchange): void {
  const { token, allow } = hearth.settings.metrics
  const header = exchange.request.headers.get('authorization')
  if (header === null) {
    const { ip } = exchange.origin
    const blocks = allow.map(parseBlock).filter((block) => block !== null)
    if (ip !== null && isAmong(ip, blocks)) return
  } else if (token !== null && isEqualSecret(bearerSecret(header) ?? '', token)) return
  const caller = callerOf(hearth, exchange.request, exchange.query)
  exchange.caller = caller
  if (caller.kind === 'anonymous') {
    throw new Refusal(
      'unauthenticated',
      'the metrics are for site administrators: send a token, or the one of the setting metrics.token, as "Authorization: Bearer <token>"',
    )
  }
  if (caller.kind !== 'user' || !caller.site_admin)
    throw new Refusal('forbidden', 'only a site administrator may read the metrics', {
      reason: 'role',
    })
  if (caller.suspended)
    throw new Refusal('forbidden', 'this account is suspended', { reason: 'suspended' })
  if (missingScope(caller.token?.scopes ?? null, 'site:admin') !== null) {
    throw new Refusal('forbidden', 'this token lacks the scope site:admin', {
      reason: 'scope',
      details: { scope: 'site:admin' },
    })
  }
}

export function metricsResponse(hearth: Hearth, exchange: Exchange): Response {
  requireReader(hearth, exchange)
  return new Response(metricsText(hearth), {
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    },
  })
}
