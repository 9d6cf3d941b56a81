/**
 * Fetches images. podman runs in a network namespace whose only way out is a proxy of the server,
 * because a registry may send it to any address for a token, those of this machine included.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { INPUT_PART } from '../job.ts'
import type { JobDirectory } from '../job-directory.ts'
import { quote } from '../shell.ts'
import { openTunnelProxy } from '../tunnel-proxy.ts'
import { asUsersOfContainers, faultOf, podman } from './podman.ts'

export type ImageToPull = {
  readonly image: string
  readonly credentials: { readonly username: string; readonly password: string } | null
}

/** The address that a connection to a registry goes to. Throws an Error for one that is refused. */
export type FindRegistry = (host: string, port: number) => Promise<string>

export type PullOptions = {
  readonly directory: JobDirectory
  /** Where it is kept which images only some may use. */
  readonly privateImages: string
  readonly findRegistry: FindRegistry
  readonly signal: AbortSignal
}

/** The registry of an image, as files of credentials name it. */
const registryOf = (image: string): string => image.slice(0, image.indexOf('/'))

/** Without its tag and its digest. */
const repositoryOf = (image: string): string => (image.split('@')[0] ?? '').replace(/:[^/:]*$/, '')

/** Fetches an image that is not here, or whose tag may have moved. */
export async function pullImage({ image, credentials }: ImageToPull, options: PullOptions) {
  const { directory, privateImages } = options
  const isHere = (await podman(['image', 'exists', '--', image])).exit === 0
  if (registryOf(image) === 'localhost') {
    if (isHere) return
    throw new Error(`this machine has no image ${image}`)
  }
  // A job that gives no credentials, or others, must not get what somebody fetched with theirs.
  const mark = join(privateImages, createHash('sha256').update(repositoryOf(image)).digest('hex'))
  if (credentials !== null) {
    await mkdir(privateImages, { recursive: true, mode: 0o700 })
    await writeFile(mark, repositoryOf(image))
  }
  const isPrivate = existsSync(mark)
  if (isHere && !isPrivate && image.includes('@sha256:')) return
  const folder = join(directory.folder, 'registry')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const auth =
      credentials === null ? [] : ['--authfile', await writeAuth(folder, image, credentials)]
    const pulled = await pullThroughProxy(['pull', '-q', ...auth, '--', image], folder, options)
    // A registry that is away is no reason to stop while the image is here.
    if (pulled.exit !== 0 && (!isHere || isPrivate))
      throw new Error(`the image ${image} cannot be fetched: ${faultOf(pulled)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeAuth(
  folder: string,
  image: string,
  { username, password }: NonNullable<ImageToPull['credentials']>,
): Promise<string> {
  const path = join(folder, 'auth.json')
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  await writeFile(path, JSON.stringify({ auths: { [registryOf(image)]: { auth } } }), {
    mode: 0o600,
  })
  return path
}

export const PROXY_PORT = 47100

async function pullThroughProxy(
  argv: readonly string[],
  folder: string,
  { directory, findRegistry, signal }: PullOptions,
) {
  const socket = join(folder, 's')
  const proxy = await openProxy(socket, findRegistry)
  const { address } = proxy
  const forward = `${quote(join(directory.work, INPUT_PART, 'forward'))} ${PROXY_PORT} ${quote(socket)}`
  const script = `ip link set lo up && ${forward} </dev/null && "$@"`
  try {
    return await podman(argv, {
      prefix: [
        ...asUsersOfContainers(),
        // What the script started ends with it.
        ...['unshare', '--net', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', script, 'sh'],
      ],
      env: { HTTPS_PROXY: address, HTTP_PROXY: address },
      signal,
      timeoutMs: null,
    })
  } finally {
    proxy.close()
  }
}

export type RegistryProxy = {
  /** For a client in a network namespace where `PROXY_PORT` leads to the socket. */
  readonly address: string
  close(): void
}

/** A proxy for TLS connections only, for clients that know its secret. */
export async function openProxy(path: string, findRegistry: FindRegistry): Promise<RegistryProxy> {
  const secret = randomBytes(16).toString('hex')
  const expected = Buffer.from(`Basic ${Buffer.from(`hearth:${secret}`).toString('base64')}`)
  const isAllowed = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers['proxy-authorization'] ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  const proxy = await openTunnelProxy({
    path,
    findTarget: async (host, port) => ({ host: await findRegistry(host, port), port }),
    isAllowed,
  })
  return { address: `http://hearth:${secret}@127.0.0.1:${PROXY_PORT}`, close: () => proxy.close() }
}
