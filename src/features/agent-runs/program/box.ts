/** Starts an agent program in its box, with its door, and speaks with it. */
import type { AgentCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { isolationOf, limitsOf, runnerOf } from '#features/checks/index.ts'
import { isObject, objectOf, textOf } from '#lib/json-value.ts'
import { redactText } from '#lib/redact.ts'
import { sleep } from '#lib/waiting.ts'
import { describeIsolation, doorSocket, type RunningProgram, type Workplace } from '#runner'
import {
  ProgramConnection,
  ProgramFault,
  RpcError,
  type Json,
  type ProgramClient,
} from './connection.ts'
import { openDoor } from './door.ts'
import { openHostProxy, type HostProxyOptions } from './host-proxy.ts'
import { PRESETS } from './presets.ts'
import type { ProgramRow } from './store-programs.ts'

const PROTOCOL_VERSION = 1
const MAX_ERROR_CHARS = 300
const EXIT_MS = 2_000

export type BoxOptions = {
  readonly hearth: Hearth
  readonly program: ProgramRow
  readonly place: Workplace
  /** The name of its working directory. */
  readonly name: string
  /** The task whose model it uses. */
  readonly task: string
  readonly caller: () => AgentCaller | null
  /** Hosts that it reaches besides models and tools. */
  readonly hosts: readonly string[]
  readonly onHost: HostProxyOptions['onHost']
  readonly client: ProgramClient
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called with each message of the program. */
  readonly onMessage?: () => void
}

export type Box = {
  readonly cwd: string
  /** What `initialize` has answered. */
  readonly about: Json
  readonly connection: ProgramConnection
}

const textsIn = (json: string): Record<string, string> => JSON.parse(json) as Record<string, string>

/** The end of what it wrote to its standard error, for people. */
function lastWords(errors: string): string {
  const last = errors.trim().split('\n').at(-1) ?? ''
  const text = redactText(last.toWellFormed()).text.slice(0, MAX_ERROR_CHARS)
  return text === '' ? '' : `: ${text}`
}

async function start({ hearth, program, place, name, task, timeoutMs, hosts }: BoxOptions) {
  const isolation = await isolationOf(hearth)
  if (isolation.kind !== 'bubblewrap')
    throw new ProgramFault(`agent programs need a sandbox, and ${describeIsolation(isolation)}`)
  const preset = PRESETS[program.kind]
  return await runnerOf(hearth).openProgram({
    directory: place,
    name,
    command: program.command,
    limits: limitsOf(hearth, timeoutMs),
    env: { CI: 'true', NO_COLOR: '1', ...preset.env(task), ...textsIn(program.env) },
    readable: JSON.parse(program.folders) as string[],
    homeFiles: preset.files(task),
    hasProxy: hosts.length > 0,
  })
}

/** Why the program has ended before its work was done. */
async function faultOf(running: RunningProgram, error: unknown): Promise<unknown> {
  if (!(error instanceof ProgramFault)) return error
  // A program whose output has ended is about to exit, and says why by its status.
  if (error.isEnd) await Promise.race([running.ended, sleep(EXIT_MS)])
  const { ended, exit_code, errors } = await running.close()
  switch (ended) {
    case 'timed_out':
      return new ProgramFault('it took too long')
    case 'memory':
      return new ProgramFault('it used more memory than it may')
    case 'disk':
      return new ProgramFault('it used more disk space than it may')
    case 'full_disk':
      return new ProgramFault('the disk of the server is nearly full')
    case 'exited':
      return new ProgramFault(
        exit_code === null
          ? `its box could not be made${lastWords(errors)}`
          : `it ended with exit status ${exit_code}${lastWords(errors)}`,
      )
    case 'closed':
      return error
  }
}

/** Runs a program while `use` speaks with it. Throws `ProgramFault` and `RpcError`. */
export async function withProgram<T>(
  options: BoxOptions,
  use: (box: Box) => Promise<T>,
): Promise<T> {
  const { hearth, place, caller, hosts, onHost, client, signal, onMessage } = options
  const door = await openDoor({ hearth, socket: doorSocket(place), caller })
  const isOpen = (): boolean => caller() !== null
  const proxy =
    hosts.length === 0 ? null : await openHostProxy({ hearth, place, hosts, isOpen, onHost })
  let running: RunningProgram | null = null
  const abort = (): void => void running?.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    running = await start(options)
    if (signal.aborted) abort()
    const connection = new ProgramConnection(running.write, client, onMessage)
    const reading = connection.read(running.output)
    reading.catch(() => {})
    const about = await connection.call('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'hearth', version: hearth.settings.version },
    })
    if (!isObject(about) || about.protocolVersion !== PROTOCOL_VERSION)
      throw new ProgramFault('it does not speak version 1 of the Agent Client Protocol')
    return await use({ cwd: running.cwd, about: { ...about }, connection })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw running === null ? error : await faultOf(running, error)
  } finally {
    signal.removeEventListener('abort', abort)
    await running?.close()
    proxy?.close()
    await door.close()
  }
}

/** The name and the version that a program gives itself. */
export function versionOf({ agentInfo }: Json): string {
  const { name, version } = objectOf(agentInfo)
  return [textOf(name), textOf(version)].filter(Boolean).join(' ').slice(0, 100)
}

/** What a person is told. */
export const describeFault = (error: unknown): string | null =>
  error instanceof ProgramFault || error instanceof RpcError ? error.message : null
