/**
 * Networks of containers of Docker. Docker knows no moment between the namespaces of a container and
 * its program. So a container of the server comes first, whose only program waits; slirp4netns and
 * the rules of jobs are put into its network, and the container of the job gets that.
 */
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { writeTar } from '#lib/archives/tar.ts'
import { sha256 } from '#lib/hash.ts'
import { bundledProgram } from '../bundled.ts'
import {
  forwarderCommand,
  gatewayOf,
  internetFiles,
  linkNetwork,
  nameServersOf,
} from '../network.ts'
import { docker, dockerEnvironment, requireDocker } from './docker.ts'
import {
  hostArguments,
  limitArguments,
  NO_LOG,
  type ContainerPlace,
  type JobEngineOptions,
} from './engine.ts'
import { limitNetwork, rulesOf } from './limit-network.ts'

/** The runtime of Docker needs more than the program until that starts. */
const HOLDER_LIMITS = { memoryBytes: 64 * 1024 ** 2, processes: 16, files: 64 }
const NOBODY = '65534:65534'
const READY_TIMEOUT_MS = 10_000
const PORT_ATTEMPTS = 10
const MAX_ANSWER_BYTES = 64 * 1024
/** What slirp4netns writes when its device is there. */
const READY = '1'.charCodeAt(0)

/** Makes the image of the program that waits, unless it is here. Returns its name. */
async function holderImage(): Promise<string> {
  const program = await bundledProgram('hold')
  if (program === null) throw new Error(`there is no program to hold a network for ${process.arch}`)
  const image = `localhost/hearth-network:${sha256(program).slice(0, 16)}`
  if ((await docker(['image', 'inspect', '--', image])).exit === 0) return image
  const file = { path: 'hold', isExecutable: true, size: program.length }
  async function* files() {
    yield { ...file, data: Readable.from([program]) }
  }
  await requireDocker(['import', '--change', 'CMD ["/hold"]', '-', image], {
    input: writeTar(files()),
  })
  return image
}

/** What a container of the job would say of its network if it had one of its own. */
export type HeldNetwork = {
  readonly hostname: string | null
  readonly place: ContainerPlace | null
}

export class DockerNetwork {
  private constructor(
    readonly holder: string,
    /** A process in the network. */
    readonly pid: number,
    private readonly forwarder: Bun.Subprocess | null,
    private readonly socket: string,
  ) {}

  /** Makes a network with the rules of the job. `socket` is a path of the server's. */
  static async open(
    holder: string,
    socket: string,
    { hostname, place }: HeldNetwork,
    { profile, ...options }: JobEngineOptions & { readonly profile: string },
  ): Promise<DockerNetwork> {
    const servers = nameServersOf(internetFiles().resolv)
    const limits = { ...options, limits: { ...options.limits, ...HOLDER_LIMITS } }
    await requireDocker([
      ...['create', ...limitArguments(holder, limits, profile), '--network', 'none'],
      ...[...NO_LOG, '--user', NOBODY, '--read-only'],
      ...(hostname === null ? [] : ['--hostname', hostname]),
      ...(place === null ? [] : hostArguments(place)),
      ...servers.flatMap((address) => ['--dns', address]),
      ...['--', await holderImage()],
    ])
    await requireDocker(['start', holder])
    const pid = Number(await requireDocker(['inspect', '--format', '{{.State.Pid}}', holder]))
    if (!(pid > 0)) throw new Error('the network of a container could not be made')
    const isOfSteps = place !== null
    const isAlone = options.network === 'none' && isOfSteps
    const forwarder = isAlone ? null : await startForwarder(pid, socket)
    const made = new DockerNetwork(holder, pid, forwarder, socket)
    try {
      const rules = rulesOf(options.network, { isOfSteps, open: [gatewayOf(linkNetwork())] })
      if (rules !== null) await limitNetwork(pid, rules, { prefix: [], env: dockerEnvironment() })
    } catch (error) {
      await made.close()
      throw error
    }
    return made
  }

  /** Makes a port of the network one of the loopback device of the machine. Returns that. */
  async openPort(port: number): Promise<number> {
    let fault = ''
    for (let n = 0; n < PORT_ATTEMPTS; n++) {
      const local = await freePort()
      const addresses = { host_addr: '127.0.0.1', host_port: local, guest_port: port }
      const answer = await this.#ask('add_hostfwd', { proto: 'tcp', ...addresses })
      if (!answer.includes('"error"')) return local
      fault = answer
    }
    throw new Error(`the port ${port} of a service could not be opened: ${fault.slice(0, 200)}`)
  }

  /** Asks slirp4netns by its socket, which answers once to a connection. */
  #ask(execute: string, given: object): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(this.socket)
      socket.setTimeout(READY_TIMEOUT_MS, () => socket.destroy(new Error('slirp4netns is silent')))
      socket.on('error', reject)
      socket.on('data', (part) => {
        answer += part.toString()
        if (answer.length > MAX_ANSWER_BYTES) socket.destroy(new Error('its answer is too long'))
      })
      socket.on('close', () => resolve(answer))
      socket.end(JSON.stringify({ execute, arguments: given }))
    })
  }

  /** Ends the way out. The network goes with its containers. */
  async close(): Promise<void> {
    this.forwarder?.kill('SIGKILL')
    await rm(this.socket, { force: true })
  }
}

/** What was free a moment ago; slirp4netns says whether it still is. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return address !== null && typeof address === 'object' ? address.port : 0
}

/** Starts slirp4netns, which ends with this server. Throws an Error unless it makes its device. */
async function startForwarder(pid: number, socket: string): Promise<Bun.Subprocess> {
  // The kernel tells nobody of a parent that had ended before it was asked to.
  const script = '[ "$PPID" = "$1" ] || exit 1; shift; exec 3>&1 >/dev/null 2>&1; exec "$@"'
  const command = [
    ...['setpriv', '--pdeathsig', 'KILL', '/bin/sh', '-c', script, 'sh', String(process.pid)],
    ...[...forwarderCommand(), '--api-socket', socket, '--ready-fd=3', String(pid), 'tap0'],
  ]
  const child = Bun.spawn(command, {
    env: { ...dockerEnvironment() },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_TIMEOUT_MS)
  const reader = child.stdout.getReader()
  const { value } = await reader.read().catch(() => ({ value: undefined }))
  clearTimeout(timer)
  void reader.cancel().catch(() => {})
  if (value?.[0] === READY) return child
  child.kill('SIGKILL')
  throw new Error('slirp4netns could not make a network device; it needs /dev/net/tun')
}
