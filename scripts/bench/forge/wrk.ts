/** Load by wrk (https://github.com/wg/wrk), which is not ours and not JavaScript. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Load = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A body makes it a POST. */
  readonly body?: string
  /** Each request asks for the next of so many numbers at the end of its path. */
  readonly numbers?: number
  readonly connections: number
  readonly seconds: number
  /** The process that answers. */
  readonly pid: number
}

export type Measured = {
  readonly rate: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /**
   * Microseconds of processor time that the answering process took for a request; a busy machine
   * changes it least.
   */
  readonly cpu: number
}

export function requireWrk(): string {
  const wrk = Bun.which('wrk')
  if (wrk === null) throw new Error('wrk is not installed; on Debian: apt-get install wrk')
  return wrk
}

const milliseconds = (text: string): number => {
  const [, number = '0', unit = 'ms'] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? []
  return Number(number) * ({ us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit] ?? 1)
}

/**
 * Clock ticks a second, of which the kernel counts the time of processes (proc(5)); 100 on every
 * Linux.
 */
const TICKS = 100

/** Processor time of a process with all its threads so far, in seconds. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Numbers go on where the last run ended, so that no answer is one of a moment ago. */
let lastNumber = 0

function script({ url, body, numbers }: Load): string {
  if (numbers !== undefined) {
    const { pathname } = new URL(url)
    return `local at = ${lastNumber}
request = function()
  at = at % ${numbers} + 1
  return wrk.format("GET", ${JSON.stringify(`${pathname}/`)} .. at)
end
`
  }
  return body === undefined ? '' : `wrk.method = "POST"\nwrk.body = ${JSON.stringify(body)}\n`
}

/** Runs it once. Throws unless every answer was a success: the speed of errors says nothing. */
export async function load(measured: Load, directory: string): Promise<Measured> {
  const { url, headers, connections, seconds, pid, numbers = 1 } = measured
  const file = join(directory, 'load.lua')
  writeFileSync(file, script(measured))
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const before = cpuOf(pid)
  const command = [
    requireWrk(),
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    file,
    ...named,
    url,
  ]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const spent = cpuOf(pid) - before
  const requests = Number(/(\d+) requests in /.exec(out)?.[1])
  lastNumber = (lastNumber + requests) % numbers
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1])
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(out)?.[0]
  if (status !== 0 || !(rate > 0) || failed)
    throw new Error(`wrk on ${url}: ${failed ?? (error.trim() || out)}`)
  const at = (percent: number) =>
    milliseconds(new RegExp(`^\\s+${percent}%\\s+(\\S+)`, 'm').exec(out)?.[1] ?? '0ms')
  return { rate, p50: at(50), p99: at(99), cpu: (spent * 1e6) / requests }
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
