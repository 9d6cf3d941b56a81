/** What a job says of containers: its services, the container of its steps, and steps that are one. */
import { createServer, connect, type Server } from 'node:net'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { qualifiedImage } from '#lib/container-image.ts'
import { ExpressionFault, isJsonObject, scalarText, type Json, type JsonObject } from '#actions'
import { DOOR_PART, servicePart } from '#runner'
import type { ContainerSpec, RunningService, ServiceSpec, Workplace } from '#runner'

/** Options of `docker create` that change nothing of the walls between a container and its machine. */
const OPTIONS_WITH_VALUE = new Set([
  ...['--health-cmd', '--health-interval', '--health-retries', '--health-timeout'],
  ...['--health-start-period', '--hostname', '--user', '--entrypoint', '--workdir', '--shm-size'],
  ...[
    '--tmpfs',
    '--cpus',
    '--memory',
    '--env',
    '--label',
    '--stop-signal',
    '-e',
    '-h',
    '-m',
    '-u',
    '-w',
  ],
])
const OPTIONS_ALONE = new Set(['--init', '--read-only', '--no-healthcheck'])

/** Words of a line, with single and double quotes as in shells. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let quoted = ''
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (quoted !== '') {
      if (letter === quoted) quoted = ''
      else if (letter === '\\' && quoted === '"') word = (word ?? '') + (text[++at] ?? '')
      else word = (word ?? '') + letter
    } else if (letter === '"' || letter === "'") {
      quoted = letter
      word ??= ''
    } else if (letter === '\\') word = (word ?? '') + (text[++at] ?? '')
    else if (!/\s/.test(letter)) word = (word ?? '') + letter
    else if (word !== null) {
      words.push(word)
      word = null
    }
  }
  if (word !== null) words.push(word)
  return words
}

/** Throws ExpressionFault for an option that is not allowed here. */
export function allowedOptions(text: string): string[] {
  const words = wordsOf(text)
  const options: string[] = []
  while (words.length > 0) {
    const word = words.shift() ?? ''
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    const name = equals < 0 ? word : word.slice(0, equals)
    if (OPTIONS_ALONE.has(name) && equals < 0) options.push(name)
    else if (OPTIONS_WITH_VALUE.has(name)) {
      const value = equals < 0 ? words.shift() : word.slice(equals + 1)
      if (value === undefined)
        throw new ExpressionFault(`The option ${name} of a container has no value`)
      options.push(name, value)
    } else
      throw new ExpressionFault(
        `The option ${name} of a container is not allowed here. Those for health, user, workdir, entrypoint, env, memory, cpus, tmpfs and shm-size are`,
      )
  }
  return options
}

const MAX_SERVICES = 20
const MAX_PORTS = 50

const textOf = (value: Json | undefined): string => scalarText(value ?? null).trim()

/** Null for an empty image, which stands for no container. Throws ExpressionFault. */
export function readContainer(value: Json): ContainerSpec | null {
  const parts = isJsonObject(value) ? value : { image: value }
  const image = textOf(parts.image).replace(/^docker:\/\//, '')
  if (image === '') return null
  if (image.startsWith('-') || /\s/.test(image))
    throw new ExpressionFault(`${image} is no name of an image`)
  const volumes = parts.volumes ?? null
  if (Array.isArray(volumes) && volumes.length > 0)
    throw new ExpressionFault(
      'Containers have no volumes here; files of a job are in its workspace',
    )
  const env = isJsonObject(parts.env ?? null) ? (parts.env as JsonObject) : {}
  const login = isJsonObject(parts.credentials ?? null) ? (parts.credentials as JsonObject) : null
  return {
    image: qualifiedImage(image),
    env: Object.fromEntries(Object.entries(env).map(([name, one]) => [name, scalarText(one)])),
    options: allowedOptions(textOf(parts.options)),
    credentials:
      login === null
        ? null
        : { username: textOf(login.username), password: textOf(login.password) },
  }
}

/** `5432`, `5432:5432` and `5432:5432/tcp`: the port of the job, and that of the container. */
function readPorts(name: string, value: Json): Map<number, number | null> {
  const list = Array.isArray(value) ? value : []
  if (list.length > MAX_PORTS) throw new ExpressionFault(`The service ${name} has too many ports`)
  return new Map(
    list.map((one) => {
      const [, host, port, protocol] =
        /^(?:(\d{1,5}):)?(\d{1,5})(?:\/(tcp|udp))?$/.exec(textOf(one)) ?? []
      if (port === undefined || protocol === 'udp')
        throw new ExpressionFault(
          `The port ${textOf(one)} of the service ${name} is none that works here; write 5432 or 5432:5432`,
        )
      return [Number(port), host === undefined ? null : Number(host)]
    }),
  )
}

/** Throws ExpressionFault. */
export function readServices(value: Json): ServiceSpec[] {
  if (!isJsonObject(value)) return []
  const services = Object.entries(value).flatMap(([name, one]) => {
    const spec = readContainer(one)
    if (spec === null) return []
    const ports = isJsonObject(one) ? readPorts(name, one.ports ?? null) : new Map()
    return [{ ...spec, name, ports }]
  })
  if (services.length > MAX_SERVICES)
    throw new ExpressionFault(`A job has at most ${MAX_SERVICES} services`)
  return services
}

/** The ports that a service has in the job, each with that of the container; only those of its file. */
const ownPorts = (spec: ServiceSpec | undefined): [own: number, port: number][] =>
  [...(spec?.ports ?? [])].map(([port, own]) => [own ?? port, port])

/** The ports of the job, each with the port of this machine behind it. Throws ExpressionFault. */
export function portsOfJob(
  specs: readonly ServiceSpec[],
  running: readonly RunningService[],
): Map<number, number> {
  const ports = new Map<number, number>()
  for (const [at, { ports: local, name }] of running.entries())
    for (const [own, port] of ownPorts(specs[at])) {
      if (ports.has(own))
        throw new ExpressionFault(
          `The port ${own} of the service ${name} is that of another service`,
        )
      ports.set(own, local.get(port) ?? 0)
    }
  return ports
}

/**
 * The ports by which containers of a job reach its services, whose names lead to the loopback
 * device there: those of the services, and those of the job where they are free. Throws
 * ExpressionFault for two services with one port where the steps of the job are there too.
 */
export function portsInContainers(
  specs: readonly ServiceSpec[],
  running: readonly RunningService[],
  { areStepsThere }: { readonly areStepsThere: boolean },
): Map<number, number> {
  const ports = new Map<number, number>()
  for (const { ports: local, name } of running)
    for (const [port, machine] of local) {
      if (!ports.has(port)) ports.set(port, machine)
      else if (areStepsThere)
        throw new ExpressionFault(
          `The port ${port} of the service ${name} is that of another service, which a job in a container cannot have here`,
        )
    }
  for (const [at, { ports: local }] of running.entries())
    for (const [own, port] of ownPorts(specs[at]))
      if (!ports.has(own)) ports.set(own, local.get(port) ?? 0)
  return ports
}

/** Ports with the sockets behind them. */
export const socketsOf = (ports: ReadonlyMap<number, number>): Map<number, string> =>
  new Map([...ports].map(([port, machine]) => [port, servicePart(machine)]))

/** Listens on the sockets by which a job reaches ports of this machine. */
export async function openPorts(
  directory: Workplace,
  ports: Iterable<number>,
): Promise<{ close(): void }> {
  const servers: Server[] = []
  for (const machine of new Set(ports)) {
    const server = createServer({ allowHalfOpen: true }, (from) => {
      const to = connect({ host: '127.0.0.1', port: machine, allowHalfOpen: true })
      for (const socket of [from, to])
        socket.on('error', () => {
          from.destroy()
          to.destroy()
        })
      from.pipe(to).pipe(from)
    })
    const path = join(directory.work, DOOR_PART, servicePart(machine))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
    // The user of the job connects; nobody else passes through the folder.
    await chmod(path, 0o666)
    servers.push(server)
  }
  return { close: () => servers.forEach((server) => void server.close()) }
}

/** The context `job.services`. */
export const servicesContext = (
  specs: readonly ServiceSpec[],
  running: readonly RunningService[],
): JsonObject =>
  Object.fromEntries(
    running.map(({ name, id }, at) => [
      name,
      {
        id,
        network: 'bridge',
        ports: Object.fromEntries(
          ownPorts(specs[at]).map(([own, port]) => [String(port), String(own)]),
        ),
      },
    ]),
  )
