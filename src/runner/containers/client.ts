/** Calls the client of the program that has the containers of this machine. */
import { PATH } from '../shell.ts'

export type Environment = Readonly<Record<string, string>>

export type Finished = { readonly exit: number; readonly output: string; readonly errors: string }

export type CallOptions = {
  readonly env?: Environment
  readonly signal?: AbortSignal
  /** Null for a call that may wait. */
  readonly timeoutMs?: number | null
  /** What the client is started by. */
  readonly prefix?: readonly string[]
  /** What the client reads. */
  readonly input?: AsyncIterable<Uint8Array>
  /** The folder that it is started in. */
  readonly cwd?: string
}

/** What a call may take that waits for nothing but this machine. */
const CALL_TIMEOUT_MS = 60_000

export const isInstalled = (program: string): boolean => Bun.which(program, { PATH }) !== null

/** Passes everything on as fast as the client reads. A client that has ended reads no more. */
async function write(to: Bun.FileSink, input: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const part of input) {
    to.write(part)
    await to.flush()
  }
  await to.end()
}

export async function callClient(
  command: readonly string[],
  { env, signal, timeoutMs = CALL_TIMEOUT_MS, prefix = [], input, cwd }: CallOptions = {},
): Promise<Finished> {
  const child = Bun.spawn([...prefix, ...command], {
    env: { ...env },
    stdin: input === undefined ? 'ignore' : 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    killSignal: 'SIGKILL',
    ...(timeoutMs === null ? {} : { timeout: timeoutMs }),
    ...(signal ? { signal } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  })
  const written =
    input === undefined || child.stdin === undefined ? null : write(child.stdin, input)
  // What could not be written is said after the client, which knows why.
  const fault = written?.then(
    () => null,
    (error: unknown) => {
      child.kill('SIGKILL')
      return error instanceof Error ? error.message : String(error)
    },
  )
  const [output, errors, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const said = errors.trim() || (exit === 0 ? '' : ((await fault) ?? ''))
  return { exit, output: output.trim(), errors: said }
}

export type Call = (argv: readonly string[], options?: CallOptions) => Promise<Finished>

/** How a client is called that is started with an environment of its own. */
export function callsOf(program: string, environment: () => Environment) {
  const call: Call = (argv, options = {}) =>
    callClient([program, ...argv], { ...options, env: { ...environment(), ...options.env } })
  return {
    call,
    /** The output of a call. Throws an Error with what the client says where it failed. */
    require: async (argv: readonly string[], options: CallOptions = {}): Promise<string> => {
      const finished = await call(argv, options)
      if (finished.exit !== 0)
        throw new Error(faultOf(finished) || `${program} did not answer in time`)
      return finished.output
    },
  }
}

/**
 * Removes containers with a label that an earlier process left, with their volumes. `removal` is the
 * command that removes the ones after it.
 */
export async function removeLabelled(
  call: Call,
  label: string,
  removal: readonly string[],
): Promise<void> {
  const found = await call(['ps', '-aq', '--filter', `label=${label}`])
  const ids = found.output.split('\n').filter((id) => id !== '')
  if (found.exit === 0 && ids.length > 0) await call([...removal, ...ids])
}

/** What a client says of its failure: its last line, or that in which Docker names its daemon's reason. */
export function faultOf({ errors, output }: Finished): string {
  const lines = (errors || output).split('\n')
  const line = lines.find((one) => OF_DAEMON.test(one)) ?? lines.at(-1) ?? ''
  return line
    .replace(OF_DAEMON, '')
    .replace(/^Error: /, '')
    .slice(0, 500)
}
const OF_DAEMON = /^(?:docker: )?Error response from daemon: /
