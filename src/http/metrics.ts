/**
 * The numbers of a forge in the text format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). For site administrators, for
 * whoever has the token of the settings, and for the addresses that they name; for nobody else,
 * because numbers tell how a site is used.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gauges } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { countJobs, LANES } from '#core/jobs.ts'
import { BOUNDS, type Histogram } from '#core/measures.ts'
import { missingScope } from '#core/scopes.ts'
import { Refusal } from '#lib/errors.ts'
import { hmacSha256, sameBytes } from '#lib/hash.ts'
import { isAmong, parseBlock } from '#lib/net.ts'
import { bearerSecret, callerOf } from './authenticate.ts'
import type { Exchange } from './exchange.ts'
import { placesOf } from './places.ts'

type Labels = Readonly<Record<string, string>>
type Kind = 'counter' | 'gauge' | 'histogram'

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
const labelled = (labels: Labels): string => {
  const inner = Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')
  return inner === '' ? '' : `{${inner}}`
}

/**
 * Every name below `hearth_` that is always there, with what it says; the README lists them from
 * here.
 */
export const METRICS = {
  info: ['gauge', 'Always 1; the label tells the release.'],
  start_time_seconds: ['gauge', 'When the process started, in seconds of Unix time.'],
  http_requests_total: ['counter', 'Requests answered, by door, method and status.'],
  http_request_seconds: ['histogram', 'Seconds until an answer began, by door.'],
  refused_total: ['counter', 'Requests turned away for reasons of load, by reason.'],
  git_operation_seconds: ['histogram', 'Seconds of whole git operations, by operation.'],
  git_operations_running: ['gauge', 'Git operations under way, by operation.'],
  git_places_busy: [
    'gauge',
    'Heavy work of git that runs, by kind: packs are transfers and archives, reads go through history.',
  ],
  git_waiting: [
    'gauge',
    'Heavy work of git that waits for its turn, by kind; transfers are those that wait for another of the same caller.',
  ],
  slow_queries_total: [
    'counter',
    'Questions to the database that took longer than log_slow_query_ms.',
  ],
  slow_git_operations_total: ['counter', 'Git operations that took longer than log_slow_git_ms.'],
  database_queries_total: ['counter', 'Questions to the database on the main thread.'],
  database_seconds_total: ['counter', 'Seconds that these took.'],
  database_bytes: ['gauge', 'Size of the database file.'],
  database_wal_bytes: ['gauge', 'Size of its write-ahead log.'],
  jobs: ['gauge', 'Background jobs in the table, by kind and state.'],
  job_places: ['gauge', 'Jobs that may run at once, by lane.'],
  job_places_busy: [
    'gauge',
    'Jobs that run, by lane; those of the lane commands are the runners of checks.',
  ],
  disk_free_bytes: ['gauge', 'Room left on the disk of the data directory.'],
  disk_size_bytes: ['gauge', 'Size of that disk.'],
  resident_memory_bytes: ['gauge', 'Resident memory of the process.'],
  heap_bytes: ['gauge', 'Memory that JavaScript uses.'],
  cpu_seconds_total: ['counter', 'Processor time of the process, by mode.'],
  open_fds: ['gauge', 'File descriptors that are open; absent where the system does not tell.'],
} as const satisfies Record<string, readonly [Kind, string]>

type Name = keyof typeof METRICS

class Text {
  readonly #lines: string[] = []

  head(name: string, kind: Kind, help: string): void {
    this.#lines.push(
      `# HELP hearth_${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', ' ')}`,
      `# TYPE hearth_${name} ${kind}`,
    )
  }

  sample(name: string, value: number, labels: Labels = {}): void {
    this.#lines.push(`hearth_${name}${labelled(labels)} ${value}`)
  }

  /** One family of ours; a value that is not known is left out. */
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
        this.sample(`${name}_bucket`, below, { [label]: key, le: String(BOUNDS[at] ?? '+Inf') })
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

/** All numbers of this moment as text. */
export function metricsText(hearth: Hearth): string {
  const { measures, settings } = hearth
  const text = new Text()
  const size = (name: string) => orNull(() => statSync(join(settings.data, name)).size)
  const disk = (read: (of: { bavail: number; blocks: number; bsize: number }) => number) =>
    orNull(() => read(statfsSync(settings.data)))
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  text.add('info', [[1, { version: settings.version }]])
  text.add('start_time_seconds', [[Math.round(hearth.clock.now() / 1000 - process.uptime())]])
  text.add(
    'http_requests_total',
    [...measures.requests].map(([key, count]) => {
      const [door = '', method = '', status = ''] = key.split(' ')
      return [count, { door, method, status }] as const
    }),
  )
  text.histograms('http_request_seconds', 'door', measures.latency)
  text.add(
    'refused_total',
    [...measures.refused].map(([reason, count]) => [count, { reason }] as const),
  )
  text.histograms('git_operation_seconds', 'operation', measures.git)
  text.add(
    'git_operations_running',
    [...measures.gitNow].map(([operation, count]) => [count, { operation }] as const),
  )
  const load = hearth.git.load()
  text.add('git_places_busy', [
    [load.packs.running, { kind: 'packs' }],
    [load.reads.running, { kind: 'reads' }],
  ])
  text.add('git_waiting', [
    [load.packs.waiting, { kind: 'packs' }],
    [load.reads.waiting, { kind: 'reads' }],
    [placesOf(hearth).waiting, { kind: 'transfers' }],
  ])
  text.add('slow_queries_total', [[measures.slow_queries]])
  text.add('slow_git_operations_total', [[measures.slow_git]])
  text.add('database_queries_total', [[measures.queries]])
  text.add('database_seconds_total', [[measures.query_ms / 1000]])
  text.add('database_bytes', [[size('hearth.db')]])
  text.add('database_wal_bytes', [[size('hearth.db-wal')]])
  text.add(
    'jobs',
    countJobs(hearth.db).map(({ kind, state, count }) => [count, { kind, state }] as const),
  )
  text.add(
    'job_places',
    Object.entries(LANES).map(([lane, most]) => [most, { lane }] as const),
  )
  text.add(
    'job_places_busy',
    Object.keys(LANES).map(
      (lane) => [hearth.jobs.busy(lane as keyof typeof LANES), { lane }] as const,
    ),
  )
  text.add('disk_free_bytes', [[disk(({ bavail, bsize }) => bavail * bsize)]])
  text.add('disk_size_bytes', [[disk(({ blocks, bsize }) => blocks * bsize)]])
  text.add('resident_memory_bytes', [[memory.rss]])
  text.add('heap_bytes', [[memory.heapUsed]])
  text.add('cpu_seconds_total', [
    [cpu.user / 1e6, { mode: 'user' }],
    [cpu.system / 1e6, { mode: 'system' }],
  ])
  text.add('open_fds', [[orNull(() => readdirSync('/proc/self/fd').length)]])
  for (const { name, help, read } of gauges.all(hearth)) {
    text.head(name, 'gauge', help)
    text.sample(name, read(hearth))
  }
  return text.toString()
}

/** Digests of one length are compared, so that the time tells nothing of the token. */
const isSame = (a: string, b: string): boolean =>
  sameBytes(hmacSha256('metrics', a), hmacSha256('metrics', b))

/** Gives 401 and 403 for whoever may not read them. */
function requireReader(hearth: Hearth, exchange: Exchange): void {
  const { token, allow } = hearth.settings.metrics
  const header = exchange.request.headers.get('authorization')
  if (header === null) {
    const { ip } = exchange.origin
    const blocks = allow.map(parseBlock).filter((block) => block !== null)
    if (ip !== null && isAmong(ip, blocks)) return
  } else if (token !== null && isSame(bearerSecret(header) ?? '', token)) return
  const caller = callerOf(hearth, exchange.request, exchange.query)
  exchange.caller = caller
  if (caller.kind === 'anonymous') {
    throw new Refusal(
      'unauthenticated',
      'the numbers are for site administrators: send a token, or the one of the setting metrics.token, as "Authorization: Bearer <token>"',
    )
  }
  if (caller.kind !== 'user' || !caller.site_admin)
    throw new Refusal('forbidden', 'only a site administrator may read the numbers', {
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

export function metrics(hearth: Hearth, exchange: Exchange): Response {
  requireReader(hearth, exchange)
  return new Response(metricsText(hearth), {
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    },
  })
}
