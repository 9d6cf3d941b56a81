/**
 * What a running forge holds of the machine, read from outside (Linux: proc(5)) and from its data
 * directory.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryOf, threadsOf } from './memory.ts'

/** Sizes in MiB, processor time in seconds. */
export type Vitals = {
  readonly at: number
  readonly resident: number
  readonly own: number
  /** Of JavaScript on the main thread, as the forge tells itself. */
  readonly heap: number
  readonly cpu: number
  readonly fds: number
  readonly threads: number
  readonly database: number
  readonly wal: number
  readonly repos: number
  readonly repo_files: number
  readonly tmp_files: number
  readonly other: number
  readonly log: number
}

const MIB = 1024 ** 2
/** Clock ticks a second; 100 on every Linux. */
const TICKS = 100

export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Bytes and files below a folder. What goes away while it is looked at is left out. */
export function measureTree(path: string): { bytes: number; files: number } {
  let [bytes, files] = [0, 0]
  if (!existsSync(path)) return { bytes, files }
  for (const name of readdirSync(path, { recursive: true }) as string[]) {
    const found = statSync(join(path, name), { throwIfNoEntry: false })
    if (!found?.isFile()) continue
    bytes += found.size
    files++
  }
  return { bytes, files }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** `metrics` is the text of the forge's own numbers. */
export function vitalsOf(pid: number, data: string, log: string, metrics: string): Vitals {
  const memory = memoryOf(pid)
  const repos = measureTree(join(data, 'repos'))
  const tmp = measureTree(join(data, 'tmp'))
  const database = sizeOf(join(data, 'hearth.db'))
  const wal = sizeOf(join(data, 'hearth.db-wal'))
  return {
    at: Date.now(),
    resident: memory.resident,
    own: memory.own,
    heap: Number(/^hearth_heap_bytes (\S+)/m.exec(metrics)?.[1] ?? 0) / MIB,
    cpu: cpuOf(pid),
    fds: readdirSync(`/proc/${pid}/fd`).length,
    threads: threadsOf(pid),
    database: database / MIB,
    wal: wal / MIB,
    repos: repos.bytes / MIB,
    repo_files: repos.files,
    tmp_files: tmp.files,
    other: (measureTree(data).bytes - database - wal - repos.bytes) / MIB,
    log: sizeOf(log) / MIB,
  }
}

/** How much a value changes in an hour, by the line of least squares through its samples. */
export function slopeAnHour(samples: readonly Vitals[], of: (one: Vitals) => number): number {
  const hours = samples.map(({ at }) => at / 3_600_000)
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const [x, y] = [mean(hours), mean(samples.map(of))]
  const below = hours.reduce((sum, hour) => sum + (hour - x) ** 2, 0)
  return below === 0
    ? 0
    : samples.reduce((sum, one, at) => sum + ((hours[at] ?? 0) - x) * (of(one) - y), 0) / below
}
