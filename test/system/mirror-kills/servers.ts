/** Two servers that hold the same repositories, each of which can be killed and started again. */
import { mkdirSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { claim, OWNER, startForge, type ForgeProcess } from '../../../scripts/support/forge.ts'
import { GiteaPeer } from '../../../scripts/support/gitea.ts'

export const ENVIRONMENT = { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' }

/** A repository of a server. */
export type Place = {
  /** Of the server. */
  readonly name: string
  /** The address, without credentials. */
  readonly repo: string
  /** `name:password` for git. */
  readonly secret: string
}

/** Its address stays when it is killed. */
export type Server = {
  readonly name: string
  create(repo: string): Promise<Place>
  crash(): Promise<void>
  stop(): Promise<void>
}

/** An address that leads to whatever port the process listens on now. */
async function fixedAddress(): Promise<{ url: string; lead(to: string): void; close(): void }> {
  let port = 0
  const server = createServer((socket) => {
    const other = connect(port, '127.0.0.1')
    for (const one of [socket, other]) one.on('error', () => {})
    socket.on('close', () => other.destroy())
    other.on('close', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: (to) => void (port = Number(new URL(to).port)),
    close: () => void server.close(),
  }
}

export type Forge = Server & {
  readonly data: string
  api<T>(method: string, path: string, body?: unknown): Promise<T>
}

/** An answer of the API that is no success. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`${status} ${body}`)
  }
}

const apiOf =
  (url: string, token: string): Forge['api'] =>
  async <T>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Refused(answer.status, text)
    return (text === '' ? null : JSON.parse(text)) as T
  }

/** A Hearth, whose repositories are in `acme`. */
export async function startHearth(root: string, name: string, executable: string): Promise<Forge> {
  mkdirSync(root, { recursive: true })
  const data = join(root, 'data')
  const launch = (): Promise<ForgeProcess> =>
    startForge({ executable, data, log: join(root, 'serve.log'), environment: ENVIRONMENT })
  let process = await launch()
  const address = await fixedAddress()
  address.lead(process.url)
  const { token } = await claim(process)
  const api = apiOf(address.url, token)
  return {
    name,
    data,
    api,
    create: async (repo) => {
      await api('POST', '/repos', { workspace: OWNER.workspace, name: repo })
      return {
        name,
        repo: `${address.url}/${OWNER.workspace}/${repo}.git`,
        secret: `${OWNER.username}:${token}`,
      }
    },
    crash: async () => {
      await process.kill()
      process = await launch()
      address.lead(process.url)
    },
    stop: async () => {
      await process.kill()
      address.close()
    },
  }
}

/** A Gitea, whose repositories are those of `ada`. */
export async function startGitea(root: string, program: string, source: string): Promise<Server> {
  const peer = await GiteaPeer.start(root, program, source)
  const token = peer.addUser('ada', true)
  return {
    name: 'gitea',
    create: async (name) => {
      await peer.api(token)('POST', '/user/repos', { name, default_branch: 'main' })
      return { name: 'gitea', repo: `${peer.url}/ada/${name}.git`, secret: `ada:${token}` }
    },
    crash: async () => {
      await peer.stop('SIGKILL')
      await peer.launch()
    },
    stop: () => peer.stop(),
  }
}
