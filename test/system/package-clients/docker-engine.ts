/** Docker's engine as a client of the registry. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from './client.ts'

export type DockerDaemon = { readonly host: string; stop(): Promise<unknown> }

const TRIES = 150
const WAIT_MS = 200

/**
 * A daemon with a socket, files and images of its own. Null where it is not installed, or this is not
 * root.
 */
export async function startDockerDaemon(client: Client): Promise<DockerDaemon | null> {
  const dockerd = Bun.which('dockerd')
  if (dockerd === null || process.getuid?.() !== 0) return null
  const folder = client.path('docker', 'daemon')
  mkdirSync(folder, { recursive: true })
  const socket = join(folder, 'docker.sock')
  const options = [
    ...['--host', `unix://${socket}`, '--pidfile', join(folder, 'pid')],
    ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
    ...['--storage-driver', 'vfs', '--bridge', 'none', '--iptables=false', '--ip6tables=false'],
  ]
  const log = Bun.file(join(folder, 'log'))
  const child = Bun.spawn([dockerd, ...options], { cwd: folder, stdout: log, stderr: log })
  const stop = (): Promise<number> => {
    child.kill()
    return child.exited
  }
  for (let tries = 0; tries < TRIES && child.exitCode === null; tries++) {
    const answer = await fetch('http://docker/_ping', { unix: socket }).catch(() => null)
    if (answer?.ok) return { host: `unix://${socket}`, stop }
    await Bun.sleep(WAIT_MS)
  }
  await stop()
  client.check('the daemon of Docker starts', false, await log.text())
  return null
}

const REFUSED = /unauthorized|no basic auth|access to the resource is denied|denied/i

/** Imports an image, pushes it, and gets it back. `docker` is the client with its daemon's address. */
export async function useDockerEngine(
  client: Client,
  docker: readonly string[],
  image: string,
): Promise<void> {
  const { url, token } = client.place
  const host = new URL(url).host
  const run = (...words: readonly string[]): string[] => [...docker, ...words]
  const folder = 'docker-image'
  const tagged = `${image}-docker:1.0.0`
  const files = 'head -c 3000000 /dev/urandom > random && tar cf layer.tar random'
  await client.succeeds('a layer for docker', folder, ['sh', '-c', files])
  await client.succeeds('docker import', folder, run('import', 'layer.tar', tagged))
  const before = await client.succeeds('docker inspect', folder, run('inspect', tagged))
  await client.succeeds('docker push', folder, run('push', tagged))
  await client.succeeds('docker push again', folder, run('push', tagged))
  await client.succeeds('docker tag', folder, run('tag', tagged, `${image}-docker:latest`))
  await client.succeeds('docker push of all tags', folder, run('push', '-a', `${image}-docker`))
  await client.succeeds('docker rmi', folder, run('rmi', tagged, `${image}-docker:latest`))
  await client.succeeds('docker pull', folder, run('pull', `${image}-docker:latest`))
  const after = await client.succeeds(
    'docker inspect of what came back',
    folder,
    run('inspect', `${image}-docker:latest`),
  )
  const layersOf = (said: string): string => JSON.stringify(JSON.parse(said)[0].RootFS.Layers)
  client.check('it has the layers that were pushed', layersOf(after) === layersOf(before), after)
  const missing = run('pull', `${image}-docker:nothing`)
  await client.fails('docker pull of a missing tag', /manifest unknown|not found/i, folder, missing)
  await client.succeeds('docker logout', folder, run('logout', host))
  const pull = run('pull', tagged)
  await client.fails('docker pull after logout', REFUSED, folder, pull)
  const push = run('push', `${image}-docker:latest`)
  await client.fails('docker push after logout', REFUSED, folder, push)
  const login = run('login', '--username', 'token', '--password', token, host)
  await client.succeeds('docker login to the engine', folder, login)
  await client.succeeds('docker pull after login', folder, pull)
}
