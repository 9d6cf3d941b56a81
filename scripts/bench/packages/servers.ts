/** The registries that are compared: the forge, Debian's docker-registry, and Verdaccio. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claim, OWNER, startForge } from '../../support/forge.ts'
import { freePort } from '../../support/ports.ts'

export type Registry = {
  readonly name: string
  readonly pid: number
  /** Sends the token where one is needed. */
  readonly headers: Readonly<Record<string, string>>
  /** Where images are pushed to, with `/v2` and the namespace. */
  readonly images: string
  /** The registry of npm packages. */
  readonly npm: string
  readonly directory: string
  stop(): Promise<unknown>
}

export async function startHearth(executable: string, directory: string): Promise<Registry> {
  mkdirSync(directory, { recursive: true })
  const forge = await startForge({
    executable,
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: { HEARTH_LOG_LEVEL: 'warn' },
  })
  const { token } = await claim(forge)
  return {
    name: 'Hearth',
    pid: forge.pid,
    headers: { authorization: `Bearer ${token}` },
    images: `${forge.url}/v2/${OWNER.workspace}`,
    npm: `${forge.url}/packages/${OWNER.workspace}/npm`,
    directory,
    stop: forge.stop,
  }
}

const TRIES = 300
const WAIT_MS = 100

/** Starts a program and waits until its address answers. */
async function startPeer(
  name: string,
  command: readonly string[],
  url: string,
  directory: string,
): Promise<Registry> {
  const log = Bun.file(join(directory, 'log'))
  const child = Bun.spawn([...command], { cwd: directory, stdout: log, stderr: log })
  const stop = (): Promise<number> => {
    child.kill()
    return child.exited
  }
  for (let tries = 0; tries < TRIES && child.exitCode === null; tries++) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok)
      return {
        ...{ name, pid: child.pid, headers: {}, directory, stop },
        ...{ images: `${url}/v2/acme`, npm: url },
      }
    await Bun.sleep(WAIT_MS)
  }
  await stop()
  throw new Error(`${name} did not start; its log is in ${directory}`)
}

/** Sends the files of a folder, at the paths of `images`. */
export async function startBareServer(directory: string): Promise<Registry> {
  const port = await freePort()
  const program = join(import.meta.dir, 'bare-server.ts')
  const command = [process.execPath, program, directory, String(port)]
  const url = `http://127.0.0.1:${port}`
  return { ...(await startPeer('a bare server', command, url, directory)), images: url }
}

/** Null where it is not installed. */
export async function startDockerRegistry(directory: string): Promise<Registry | null> {
  const program = Bun.which('docker-registry') ?? Bun.which('registry')
  if (program === null) return null
  mkdirSync(directory, { recursive: true })
  const port = await freePort()
  const config = `version: 0.1
log: { level: warn, accesslog: { disabled: true } }
storage:
  cache: { blobdescriptor: inmemory }
  filesystem: { rootdirectory: ${join(directory, 'data')} }
http: { addr: 127.0.0.1:${port} }
`
  writeFileSync(join(directory, 'config.yml'), config)
  const command = [program, 'serve', 'config.yml']
  return startPeer('docker-registry', command, `http://127.0.0.1:${port}`, directory)
}

/** Null where its folder has no Verdaccio. */
export async function startVerdaccio(tools: string, directory: string): Promise<Registry | null> {
  const program = join(tools, 'node_modules/verdaccio/bin/verdaccio')
  const node = Bun.which('node')
  if (node === null || !existsSync(program)) return null
  mkdirSync(directory, { recursive: true })
  const port = await freePort()
  const config = `storage: ${join(directory, 'data')}
auth: { htpasswd: { file: ${join(directory, 'htpasswd')} } }
uplinks: {}
packages: { '**': { access: $all, publish: $all } }
max_body_size: 500mb
log: { type: stdout, format: json, level: fatal }
`
  writeFileSync(join(directory, 'config.yaml'), config)
  const command = [node, program, '--config', 'config.yaml', '--listen', `127.0.0.1:${port}`]
  return startPeer('Verdaccio', command, `http://127.0.0.1:${port}`, directory)
}
