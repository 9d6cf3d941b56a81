/**
 * Runs one command to its end, or ends it: its time is over, somebody cancelled it, it took more
 * than it may.
 */
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Group } from './cgroups.ts'
import { OUTPUT_END, type Limits } from './limits.ts'
import { descendants } from './process-tree.ts'
import { drainPid, limitLines, sandboxFiles, sandboxScript } from './sandbox.ts'
import { BARE, PATH } from './shell.ts'
import { watch } from './watch.ts'
import type { Workplace } from './workplace.ts'

export type Outcome = {
  /** `not_started`: the walls could not be put up, so nothing of the command ran. */
  readonly ended: 'exited' | 'timed_out' | 'cancelled' | 'memory' | 'disk' | 'not_started'
  /**
   * Of the command itself; 128 and more is a signal, as shells count. Null when it did not exit by
   * itself.
   */
  readonly exit_code: number | null
  readonly duration_ms: number
  /** Bytes of output left out between what was handed on as it came and the end. */
  readonly left_out: boolean
}

export type RunOptions = {
  readonly place: Workplace
  readonly command: string
  readonly limits: Limits
  readonly env: Readonly<Record<string, string>>
  /** Output as it comes. After a gap (`left_out` of the outcome) the end of it follows. */
  readonly output: (bytes: Uint8Array) => void
  readonly signal?: AbortSignal
}

export type Walls = {
  readonly uid: number | null
  readonly network: boolean
  readonly readable: readonly string[]
  readonly hidden: readonly string[]
  readonly seccomp: Uint8Array | null
  readonly group: Group | null
  readonly memoryHeld: boolean
  /**
   * What is put before the shell, so that it ends with the server however that ends; nothing where
   * no program does that.
   */
  readonly tie: readonly string[]
}

/**
 * How long output may still come after the command has ended. With walls nothing is left that could
 * write.
 */
const DRAIN_MS = 2_000

type Child = Bun.Subprocess<'ignore', 'pipe', 'ignore'>

function kill(pid: number): void {
  // 0 would be this very process with its group.
  if (pid === 0) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was gone already.
  }
}

const readOr = (path: string, otherwise: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

/** Ends a process with everything below it, and what is left of its group. */
const endTree = (child: Child): void =>
  [...descendants(child.pid), -child.pid, child.pid].forEach(kill)

/**
 * Ends what is behind walls by its first process, with which the kernel ends all others of the
 * namespace. What drains the output stays and hands on the end of it.
 */
function endShut(child: Child, status: string): void {
  const first = Number(/"child-pid":\s*(\d+)/.exec(readOr(status, ''))?.[1] ?? 0)
  if (first > 0 && descendants(child.pid).includes(first)) kill(first)
  else endTree(child)
}

/**
 * Reads until the end, or until nothing more is waited for. Hands on what comes up to the limit,
 * and the end of what follows; says whether there was something in between. `full` is called when
 * the limit is reached.
 */
async function drain(
  child: Child,
  limits: Limits,
  output: (bytes: Uint8Array) => void,
  stop: Promise<unknown>,
  full: () => void,
): Promise<boolean> {
  const reader = child.stdout.getReader()
  let total = 0
  let end = new Uint8Array(0)
  const over = stop.then(() => null)
  for (;;) {
    const part = await Promise.race([reader.read(), over])
    if (part === null) await reader.cancel().catch(() => {})
    if (part === null || part.done) break
    const room = Math.max(0, limits.output - total)
    if (room > 0) output(part.value.subarray(0, room))
    if (total < limits.output && total + part.value.byteLength >= limits.output) full()
    total += part.value.byteLength
    if (part.value.byteLength > room)
      end = new Uint8Array(Buffer.concat([end, part.value.subarray(room)]).subarray(-OUTPUT_END))
  }
  if (end.byteLength > 0) output(end)
  return total > limits.output
}

type Following = {
  readonly memoryHeld: boolean
  readonly kills: () => number
  readonly end: (child: Child) => void
  readonly full: () => void
}

async function follow(
  child: Child,
  { limits, output, signal, place }: RunOptions,
  { memoryHeld, kills, full, end: endChild }: Following,
): Promise<Omit<Outcome, 'exit_code'>> {
  const started = performance.now()
  let ended: Outcome['ended'] = 'exited'
  let backstop: ReturnType<typeof setTimeout> | undefined
  const end = (why: Outcome['ended']) => {
    if (ended !== 'exited' || child.exitCode !== null) return
    ended = why
    endChild(child)
    backstop = setTimeout(() => endTree(child), DRAIN_MS)
  }
  const cancel = () => end('cancelled')
  const timer = setTimeout(() => end('timed_out'), limits.time)
  const unwatch = watch({
    pid: child.pid,
    folder: place.work,
    limits,
    memoryHeld,
    kills,
    found: end,
  })
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  try {
    const late = child.exited.then(() => Bun.sleep(DRAIN_MS))
    const left_out = await drain(child, limits, output, late, full)
    await child.exited
    return { ended, duration_ms: Math.round(performance.now() - started), left_out }
  } finally {
    clearTimeout(timer)
    clearTimeout(backstop)
    unwatch()
    signal?.removeEventListener('abort', cancel)
    endTree(child)
  }
}

/** In a session of its own, so that all of it can be ended together. */
const spawn = (command: readonly string[], cwd: string, env: Record<string, string>): Child =>
  Bun.spawn([...command], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    detached: true,
  })

/** Runs it behind walls. */
export async function runShut(options: RunOptions, walls: Walls): Promise<Outcome> {
  const { place, command, limits, env } = options
  const status = join(place.folder, 'status')
  const filter = walls.seccomp === null ? null : join(place.folder, 'seccomp')
  await writeFile(status, '')
  if (filter !== null && walls.seccomp !== null) await writeFile(filter, walls.seccomp)
  for (const [path, text] of Object.entries(sandboxFiles(place))) await writeFile(path, text)
  const script = sandboxScript({
    place,
    command,
    limits,
    env,
    status,
    uid: walls.uid,
    network: walls.network,
    readable: walls.readable,
    hidden: walls.hidden,
    seccomp: filter,
    joins: walls.group?.joins ?? [],
  })
  const { ended, ...rest } = await follow(
    spawn([...walls.tie, '/bin/sh', '-c', script], '/', { ...BARE }),
    options,
    {
      memoryHeld: walls.memoryHeld,
      kills: () => walls.group?.kills() ?? 0,
      end: (child) => endShut(child, status),
      full: () => kill(Number(readOr(drainPid(place), '0'))),
    },
  )
  if (ended !== 'exited') return { ended, exit_code: null, ...rest }
  // One JSON document a line; the exit code comes only from a command that was started.
  const code = /"exit-code":\s*(\d+)/.exec(await readFile(status, 'utf8'))?.[1]
  if (code === undefined) return { ended: 'not_started', exit_code: null, ...rest }
  return {
    ended: (walls.group?.kills() ?? 0) > 0 ? 'memory' : 'exited',
    exit_code: Number(code),
    ...rest,
  }
}

/**
 * Runs it with the rights of the server and no walls, where the operator wants that. Limits hold
 * for each process.
 */
export async function runOpen(options: RunOptions, tie: readonly string[]): Promise<Outcome> {
  const { place, command, limits, env } = options
  const script = `{ ${limitLines(limits)}; } 2>/dev/null; exec /bin/sh -c "$1" 2>&1`
  const child = spawn([...tie, '/bin/sh', '-c', script, 'sh', command], place.build, {
    PATH,
    HOME: join(place.work, 'home'),
    TMPDIR: join(place.work, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...env,
  })
  const { ended, ...rest } = await follow(child, options, {
    memoryHeld: false,
    kills: () => 0,
    end: endTree,
    full: () => {},
  })
  return { ended, exit_code: ended === 'exited' ? child.exitCode : null, ...rest }
}
