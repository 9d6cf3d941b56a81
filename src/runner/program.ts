/**
 * A program that runs in a sandbox and talks with the server over its standard input and output. Its
 * network is a loopback device alone. A unix socket leads out of it, the door, on which the server
 * listens; programs reach it at a port of the loopback device. A program that may reach further hosts
 * has a second socket and port, for a proxy of the server.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  createJobDirectory,
  DOOR_PART,
  DOOR_SOCKET,
  PROXY_SOCKET,
  type JobDirectory,
} from './job-directory.ts'
import { OUTPUT_TAIL_BYTES, type CommandLimits } from './limits.ts'
import { DRAIN_MS, killSandbox, killTree, prepareSandbox, readFileOr } from './processes.ts'
import { programScript, type SandboxLayout, type SandboxSettings } from './sandbox.ts'
import { MINIMAL_ENV, quote } from './shell.ts'
import { watchLimits, type ExceededLimit } from './watch-limits.ts'

/** Folders of a program below `work`. `input` and `door` are the server's, the others its own. */
export const PROGRAM_PARTS = ['build', 'home', 'tmp'] as const

export type ProgramOptions = {
  readonly directory: JobDirectory
  /** The last part of the path at which the program sees its files. */
  readonly name: string
  /** A line for `/bin/sh`. */
  readonly command: string
  readonly limits: CommandLimits
  readonly env: Readonly<Record<string, string>>
  /** Folders with programs that it may read, besides the system's. */
  readonly readable: readonly string[]
  /** Files that are put into its home before it starts, by path below that. */
  readonly homeFiles: Readonly<Record<string, string>>
  /** Whether the server has opened a proxy at `proxySocket` of its directory. */
  readonly hasProxy: boolean
}

/** Why a program has ended. */
export type ProgramEnd = {
  readonly ended: 'exited' | 'closed' | 'timed_out' | ExceededLimit
  readonly exit_code: number | null
  /** The end of what it wrote to its standard error. */
  readonly errors: string
}

export type RunningProgram = {
  /** Its working directory, as it sees it. */
  readonly cwd: string
  /** Resolves once the program has taken the text. */
  write(text: string): Promise<void>
  readonly output: ReadableStream<Uint8Array>
  readonly ended: Promise<ProgramEnd>
  /** Ends all its processes. */
  close(): Promise<ProgramEnd>
}

const INPUT_PART = 'input'
export const DOOR_PORT = 9100
export const DOOR_URL = `http://127.0.0.1:${DOOR_PORT}`
const PROXY_PORT = 9101
const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`

/** The variables by which programs find their proxy. Some read only one spelling. */
const PROXY_ENV: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    http_proxy: PROXY_URL,
    https_proxy: PROXY_URL,
    no_proxy: '127.0.0.1,localhost',
  }).flatMap(([name, value]) => [
    [name, value],
    [name.toUpperCase(), value],
  ]),
)

const HOME = '/home/agent'
const INPUT = '/run/input'
/** This executable, which forwards to the door. It may lie in a folder that the box hides. */
const FORWARDER_RUNTIME = '/run/hearth'

export const programCwd = (name: string): string => `/work/${name}`

const layoutOf = (name: string): SandboxLayout => ({
  mounts: [
    { from: 'build', to: programCwd(name), writable: true },
    { from: 'home', to: HOME, writable: true },
    { from: 'tmp', to: '/tmp', writable: true },
    { from: DOOR_PART, to: '/run/door', writable: false },
    { from: INPUT_PART, to: INPUT, writable: false },
  ],
  cwd: INPUT,
  home: HOME,
  user: 'agent',
  file: { from: process.execPath, to: FORWARDER_RUNTIME },
})

/**
 * What listens on ports of the loopback device and hands bytes to the sockets of the door's folder,
 * and then starts the program. Its arguments are the working directory, the command, and ports with
 * their sockets. It runs in the runtime of this executable, whose own modules are all it needs.
 */
const FORWARDER = `
const net = require('node:net')
const { spawn } = require('node:child_process')
const [cwd, command, ...ports] = process.argv.slice(2)
const listen = (at) => new Promise((resolve) => {
  const [port, name] = at.split('=')
  const server = net.createServer({ allowHalfOpen: true }, (from) => {
    const to = net.connect({ path: '/run/door/' + name, allowHalfOpen: true })
    for (const socket of [from, to]) socket.on('error', () => { from.destroy(); to.destroy() })
    from.pipe(to).pipe(from)
  })
  server.on('error', (error) => { process.stderr.write(String(error)); process.exit(125) })
  server.listen(Number(port), '127.0.0.1', resolve)
})
Promise.all(ports.map(listen)).then(() => {
  const start = 'unset BUN_BE_BUN; exec /bin/sh -c "$1"'
  const child = spawn('/bin/sh', ['-c', start, 'sh', command], { cwd, stdio: 'inherit' })
  child.on('error', () => process.exit(127))
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128))
})
`

/** An existing directory of a program keeps its files and its home. */
export async function openProgramDirectory(
  directory: string,
  id: string,
  { isKept }: { readonly isKept: boolean },
): Promise<JobDirectory> {
  const folder = join(directory, id)
  const work = join(folder, 'work')
  const opened: JobDirectory = isKept
    ? { id, folder, work, build: join(work, 'build') }
    : await createJobDirectory(directory, id, PROGRAM_PARTS)
  await chmod(work, 0o711)
  for (const part of [DOOR_PART, INPUT_PART]) {
    await mkdir(join(work, part), { recursive: true })
    await chmod(join(work, part), 0o755)
  }
  return opened
}

/** Keeps the last bytes of a stream. */
async function tailOfStream(stream: ReadableStream<Uint8Array>): Promise<string> {
  let end: Uint8Array = new Uint8Array(0)
  const reader = stream.getReader()
  for (;;) {
    const part = await reader.read().catch(() => null)
    if (part === null || part.done) break
    end = Buffer.concat([end, part.value]).subarray(-OUTPUT_TAIL_BYTES)
  }
  return new TextDecoder().decode(end)
}

type ProgramProcess = Bun.Subprocess<'pipe', 'pipe', 'pipe'>

/**
 * Writes what the box reads. The files for the home are copied there from inside, so that no link
 * that the program has made leads a write of the server elsewhere.
 */
async function writeInput({ directory, homeFiles }: ProgramOptions): Promise<void> {
  const input = join(directory.work, INPUT_PART)
  await rm(input, { recursive: true, force: true })
  const files = { 'forward.cjs': FORWARDER, ...prefixed('home/', homeFiles) }
  for (const folder of ['home', ...Object.keys(files).map(dirname)])
    await mkdir(join(input, folder), { recursive: true, mode: 0o755 })
  for (const [path, text] of Object.entries(files)) await writeFile(join(input, path), text)
  // Whatever the umask of the server, the user of the box reads them.
  if ((await chmodTree(input)) !== 0) throw new Error(`${input} could not be made readable`)
}

const prefixed = (prefix: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${prefix}${path}`, text]))

const chmodTree = (path: string): Promise<number> =>
  Bun.spawn(['chmod', '-R', 'u=rwX,go=rX', '--', path], {
    env: { ...MINIMAL_ENV },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  }).exited

async function spawnProgram(
  options: ProgramOptions,
  settings: SandboxSettings,
): Promise<{ child: ProgramProcess; status: string }> {
  const { directory, name, command, limits, env, hasProxy } = options
  const layout = layoutOf(name)
  await writeInput(options)
  const prepared = await prepareSandbox(directory, layout, settings)
  const start = [
    ...[FORWARDER_RUNTIME, `${INPUT}/forward.cjs`, programCwd(name), command],
    ...[`${DOOR_PORT}=${DOOR_SOCKET}`, ...(hasProxy ? [`${PROXY_PORT}=${PROXY_SOCKET}`] : [])],
  ]
  const script = programScript(
    {
      directory,
      layout,
      limits,
      env: { ...(hasProxy ? PROXY_ENV : {}), ...env, BUN_BE_BUN: '1' },
      ...prepared,
    },
    `cp -R ${INPUT}/home/. "$HOME"/ || exit 125\nexec ${start.map(quote).join(' ')}`,
  )
  const child = Bun.spawn([...settings.parentDeathPrefix, '/bin/sh', '-c', script], {
    cwd: '/',
    env: { ...MINIMAL_ENV },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  return { child, status: prepared.status }
}

/** Starts a program. `release` removes what the sandbox has left on the machine. */
export async function startProgram(
  options: ProgramOptions,
  settings: SandboxSettings,
  release: () => Promise<void>,
): Promise<RunningProgram> {
  const { child, status } = await spawnProgram(options, settings)
  const { limits, directory, name } = options
  let why: ProgramEnd['ended'] = 'exited'
  const end = (reason: ProgramEnd['ended']): void => {
    if (child.exitCode !== null || why !== 'exited') return
    why = reason
    killSandbox(child, status)
    setTimeout(() => killTree(child), DRAIN_MS).unref()
  }
  const unwatch = watchLimits({
    pids: () => [child.pid],
    folders: () => [directory.work],
    limits,
    kernelLimitsMemory: settings.kernelLimitsMemory,
    countOomKills: () => settings.group?.countOomKills() ?? 0,
    onExceeded: end,
  })
  const timer = setTimeout(() => end('timed_out'), limits.timeMs)
  const errors = tailOfStream(child.stderr)
  const ended = (async (): Promise<ProgramEnd> => {
    await child.exited
    clearTimeout(timer)
    unwatch()
    killTree(child)
    const said = await Promise.race([errors, Bun.sleep(DRAIN_MS).then(() => '')])
    await release()
    const hasRun = /"exit-code"/.test(readFileOr(status, ''))
    return { ended: why, exit_code: hasRun ? child.exitCode : null, errors: said }
  })()
  return {
    cwd: programCwd(name),
    output: child.stdout,
    ended,
    write: async (text) => {
      child.stdin.write(text)
      await child.stdin.flush()
    },
    close: () => {
      end('closed')
      return ended
    },
  }
}
