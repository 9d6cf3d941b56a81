/**
 * Runs one command until it exits, or kills it: after a timeout, when it is cancelled, or when it
 * exceeds a limit.
 */
import { join } from 'node:path'
import { OUTPUT_TAIL_BYTES, type CommandLimits } from './limits.ts'
import {
  DRAIN_MS,
  killSandbox,
  killTree,
  prepareSandbox,
  readExitCode,
  readFileOr,
  signalProcess,
  type Child,
} from './processes.ts'
import {
  CHECK_LAYOUT,
  drainPidFile,
  sandboxScript,
  ulimitScript,
  type SandboxSettings,
} from './sandbox.ts'
import { MINIMAL_ENV, PATH } from './shell.ts'
import { watchLimits, type ExceededLimit } from './watch-limits.ts'
import type { JobDirectory } from './job-directory.ts'

export type CommandResult = {
  /** `not_started`: the sandbox could not be created, so the command never ran. */
  readonly ended: 'exited' | 'timed_out' | 'cancelled' | ExceededLimit | 'not_started'
  /**
   * The exit code of the command; from 128 on a signal, as in shells. Null when it was killed by
   * this room.
   */
  readonly exit_code: number | null
  readonly duration_ms: number
  /** Whether output is missing between the first `limits.output` bytes and the last ones. */
  readonly left_out: boolean
}

export type RunCommandOptions = {
  readonly directory: JobDirectory
  readonly command: string
  readonly limits: CommandLimits
  readonly env: Readonly<Record<string, string>>
  /** Receives output as it comes. After a gap (`left_out`) the last bytes follow. */
  readonly output: (bytes: Uint8Array) => void
  readonly signal?: AbortSignal
}

/**
 * Reads the output until its end, or until `stop` resolves. Passes on the bytes up to the limit,
 * and the last ones of the rest. Calls `full` when the limit is reached. Returns whether bytes were
 * left out.
 */
async function drainOutput(
  child: Child,
  limits: CommandLimits,
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
    const room = Math.max(0, limits.outputBytes - total)
    if (room > 0) output(part.value.subarray(0, room))
    if (total < limits.outputBytes && total + part.value.byteLength >= limits.outputBytes) full()
    total += part.value.byteLength
    if (part.value.byteLength > room)
      end = new Uint8Array(
        Buffer.concat([end, part.value.subarray(room)]).subarray(-OUTPUT_TAIL_BYTES),
      )
  }
  if (end.byteLength > 0) output(end)
  return total > limits.outputBytes
}

type Supervision = {
  readonly memoryHeld: boolean
  readonly kills: () => number
  readonly end: (child: Child) => void
  readonly full: () => void
}

async function supervise(
  child: Child,
  { limits, output, signal, directory }: RunCommandOptions,
  { memoryHeld, kills, full, end: endChild }: Supervision,
): Promise<Omit<CommandResult, 'exit_code'>> {
  const started = performance.now()
  let ended: CommandResult['ended'] = 'exited'
  let backstop: ReturnType<typeof setTimeout> | undefined
  const end = (why: CommandResult['ended']) => {
    if (ended !== 'exited' || child.exitCode !== null) return
    ended = why
    endChild(child)
    backstop = setTimeout(() => killTree(child), DRAIN_MS)
  }
  const cancel = () => end('cancelled')
  const timer = setTimeout(() => end('timed_out'), limits.timeMs)
  const unwatch = watchLimits({
    pids: () => [child.pid],
    folders: () => [directory.work],
    limits,
    kernelLimitsMemory: memoryHeld,
    countOomKills: kills,
    onExceeded: end,
  })
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  try {
    const late = child.exited.then(() => Bun.sleep(DRAIN_MS))
    const left_out = await drainOutput(child, limits, output, late, full)
    await child.exited
    return { ended, duration_ms: Math.round(performance.now() - started), left_out }
  } finally {
    clearTimeout(timer)
    clearTimeout(backstop)
    unwatch()
    signal?.removeEventListener('abort', cancel)
    killTree(child)
  }
}

/** Starts a process in a session of its own, so that its group can be killed. */
const spawn = (command: readonly string[], cwd: string, env: Record<string, string>): Child =>
  Bun.spawn([...command], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    detached: true,
  })

/** Runs a command in a sandbox. */
export async function runSandboxed(
  options: RunCommandOptions,
  settings: SandboxSettings,
): Promise<CommandResult> {
  const { directory, command, limits, env } = options
  const prepared = await prepareSandbox(directory, CHECK_LAYOUT, settings)
  const { status } = prepared
  const script = sandboxScript(
    { directory, layout: CHECK_LAYOUT, limits, env, ...prepared },
    command,
  )
  const { ended, ...rest } = await supervise(
    spawn([...settings.parentDeathPrefix, '/bin/sh', '-c', script], '/', { ...MINIMAL_ENV }),
    options,
    {
      memoryHeld: settings.kernelLimitsMemory,
      kills: () => settings.group?.countOomKills() ?? 0,
      end: (child) => killSandbox(child, status),
      full: () => signalProcess(Number(readFileOr(drainPidFile(directory), '0')), 'SIGKILL'),
    },
  )
  if (ended !== 'exited') return { ended, exit_code: null, ...rest }
  const code = await readExitCode(status)
  if (code === null) return { ended: 'not_started', exit_code: null, ...rest }
  return {
    ended: (settings.group?.countOomKills() ?? 0) > 0 ? 'memory' : 'exited',
    exit_code: code,
    ...rest,
  }
}

/**
 * Runs a command with the rights of the server, where the operator has switched isolation off. The
 * limits apply to each process.
 */
export async function runUnsandboxed(
  options: RunCommandOptions,
  parentDeathPrefix: readonly string[],
): Promise<CommandResult> {
  const { directory, command, limits, env } = options
  const script = `{ ${ulimitScript(limits)}; } 2>/dev/null; exec /bin/sh -c "$1" 2>&1`
  const child = spawn(
    [...parentDeathPrefix, '/bin/sh', '-c', script, 'sh', command],
    directory.build,
    {
      PATH,
      HOME: join(directory.work, 'home'),
      TMPDIR: join(directory.work, 'tmp'),
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ...env,
    },
  )
  const { ended, ...rest } = await supervise(child, options, {
    memoryHeld: false,
    kills: () => 0,
    end: killTree,
    full: () => {},
  })
  return { ended, exit_code: ended === 'exited' ? child.exitCode : null, ...rest }
}
