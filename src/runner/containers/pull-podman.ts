/**
 * podman fetches images in a network namespace whose only way out is a proxy of the server, because
 * a registry may send it to any address for a token, those of this machine included.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { INPUT_PART } from '../job.ts'
import type { JobDirectory } from '../job-directory.ts'
import { quote } from '../shell.ts'
import { openTunnelProxy } from '../tunnel-proxy.ts'
import { faultOf } from './client.ts'
import { asUsersOfContainers, podman } from './podman.ts'
import { registryOf, type FindRegistry, type ImageToPull } from './pull.ts'

type PodmanPull = {
  readonly directory: JobDirectory
  readonly findRegistry: FindRegistry
  readonly signal: AbortSignal
}

export async function pullWithPodman(
  { image, credentials }: ImageToPull,
  folder: string,
  options: PodmanPull,
): Promise<string | null> {
  const auth =
    credentials === null ? [] : ['--authfile', await writeAuth(folder, image, credentials)]
  const pulled = await pullThroughProxy(['pull', '-q', ...auth, '--', image], folder, options)
  return pulled.exit === 0 ? null : faultOf(pulled)
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
  { directory, findRegistry, signal }: PodmanPull,
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
