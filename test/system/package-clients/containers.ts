import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client, type Place } from './client.ts'
import { startDockerDaemon, useDockerEngine } from './docker-engine.ts'

const MODULES: Readonly<Record<string, string>> = {
  crane: 'github.com/google/go-containerregistry/cmd/crane@latest',
  regctl: 'github.com/regclient/regclient/cmd/regctl@latest',
  oras: 'oras.land/oras/cmd/oras@latest',
}

/** A program that is installed, or that Go can fetch; null for neither. */
function findProgram(tools: string, name: string): string | null {
  const found = Bun.which(name) ?? Bun.which(join(tools, 'bin', name))
  if (found !== null) return found
  if (Bun.which('go') === null) return null
  const environment = { ...process.env, GOBIN: join(tools, 'bin') }
  const built = Bun.spawnSync(['go', 'install', MODULES[name] ?? ''], { env: environment })
  return built.exitCode === 0 ? join(tools, 'bin', name) : null
}

const WRONG = `hthu_${'a'.repeat(46)}`

async function useCrane(client: Client, crane: string, image: string): Promise<void> {
  const { token, url } = client.place
  const host = new URL(url).host
  const login = (secret: string): string[] => [
    ...[crane, 'auth', 'login', host, '--username', 'token', '--password', secret],
  ]
  const files = ['sh', '-c', 'echo hello > hello.txt && tar cf layer.tar hello.txt']
  await client.succeeds('a layer', 'crane', files)
  const append = [crane, 'append', '--new_layer', 'layer.tar', '--new_tag', `${image}:1.0.0`]
  await client.fails('crane without a token', /UNAUTHORIZED|401|token/, 'crane', append)
  await client.succeeds('crane login with a wrong token', 'crane', login(WRONG))
  await client.fails('crane with a wrong token', /UNAUTHORIZED|401|not valid/, 'crane', append)
  await client.succeeds('crane login', 'crane', login(token))
  await client.succeeds('crane push', 'crane', append)
  await client.succeeds('crane push again', 'crane', append)
  await client.succeeds('crane tag', 'crane', [crane, 'tag', `${image}:1.0.0`, 'latest'])
  const tags = await client.succeeds('crane ls', 'crane', [crane, 'ls', image])
  client.check('both tags are listed', tags.includes('1.0.0') && tags.includes('latest'), tags)
  await client.succeeds('crane copy to another name', 'crane', [
    ...[crane, 'copy', `${image}:1.0.0`, `${image}-copy:1.0.0`],
  ])
  await client.succeeds('crane pull', 'crane', [crane, 'pull', `${image}:latest`, 'image.tar'])
  const text = await client.succeeds('crane export', 'crane', [
    ...['sh', '-c', `${crane} export ${image}:latest - | tar xO hello.txt`],
  ])
  client.check('the file is in the image', text.trim() === 'hello', text)
  await client.fails('a missing tag', /MANIFEST_UNKNOWN|not found|404/, 'crane', [
    ...[crane, 'manifest', `${image}:nothing`],
  ])
}

async function useOras(client: Client, oras: string, image: string): Promise<void> {
  const { token, url } = client.place
  const plain = ['--plain-http']
  const login = ['login', ...plain, '--username', 'token', '--password', token, new URL(url).host]
  await client.succeeds('oras login', 'oras', [oras, ...login])
  client.write('oras/sbom.json', '{"name":"sbom"}')
  await client.succeeds('oras attach', 'oras', [
    ...[oras, 'attach', ...plain, '--artifact-type', 'application/spdx+json'],
    ...[`${image}:1.0.0`, 'sbom.json'],
  ])
  const found = await client.succeeds('oras discover', 'oras', [
    ...[oras, 'discover', ...plain, `${image}:1.0.0`],
  ])
  client.check('the referrer is found', found.includes('application/spdx+json'), found)
  await client.succeeds('oras push of a file', 'oras', [
    ...[oras, 'push', ...plain, `${image}-file:1`, 'sbom.json:application/json'],
  ])
  await client.succeeds('oras pull', 'oras', [
    ...[oras, 'pull', ...plain, '--output', 'out', `${image}-file:1`],
  ])
}

async function useRegctl(client: Client, regctl: string, image: string): Promise<void> {
  const { token, url } = client.place
  const host = new URL(url).host
  await client.succeeds('regctl settings', 'regctl', [
    ...[regctl, 'registry', 'set', '--tls', 'disabled', host],
  ])
  const login = ['registry', 'login', host, '--user', 'token', '--pass', token]
  await client.succeeds('regctl login', 'regctl', [regctl, ...login])
  await client.succeeds('regctl copy', 'regctl', [
    ...[regctl, 'image', 'copy', '--referrers', `${image}:1.0.0`, `${image}-regctl:1.0.0`],
  ])
  const listed = await client.succeeds('regctl referrers', 'regctl', [
    ...[regctl, 'artifact', 'list', `${image}-regctl:1.0.0`],
  ])
  client.check('referrers went along', listed.includes('spdx'), listed)
  await client.succeeds('regctl deletes a tag', 'regctl', [
    ...[regctl, 'tag', 'delete', `${image}-regctl:1.0.0`],
  ])
  await client.fails('the tag is gone', /not found|404/i, 'regctl', [
    ...[regctl, 'image', 'manifest', `${image}-regctl:1.0.0`],
  ])
}

const STORED = /unauthorized|invalid username|authentication required|not valid|401/i

/** What skopeo, buildah and podman do alike: each has its own words for the same library. */
async function useSkopeo(client: Client, skopeo: string, image: string): Promise<void> {
  const { token } = client.place
  const copy = (from: string, to: string, ...words: readonly string[]): string[] => [
    ...[skopeo, 'copy', '--insecure-policy', '--src-tls-verify=false', '--dest-tls-verify=false'],
    ...[...words, from, to],
  ]
  const secret = (word: string, of: string): string[] => [`--${word}-creds`, `token:${of}`]
  const [from, to] = [`docker://${image}:1.0.0`, `docker://${image}-skopeo:1.0.0`]
  await client.fails('skopeo without a token', STORED, 'skopeo', copy(from, 'dir:none'))
  const wrong = secret('src', WRONG)
  await client.fails(
    'skopeo with a wrong token',
    STORED,
    'skopeo',
    copy(from, 'dir:none', ...wrong),
  )
  const both = [...secret('src', token), ...secret('dest', token)]
  await client.succeeds('skopeo copy', 'skopeo', copy(from, to, ...both))
  const pull = copy(to, 'dir:out', ...secret('src', token))
  await client.succeeds('skopeo pull', 'skopeo', pull)
  const listed = await client.succeeds('skopeo list-tags', 'skopeo', [
    ...[skopeo, 'list-tags', '--tls-verify=false', '--creds', `token:${token}`, to.slice(0, -6)],
  ])
  client.check('skopeo lists the tag', listed.includes('1.0.0'), listed)
  await client.succeeds('skopeo delete', 'skopeo', [
    ...[skopeo, 'delete', '--tls-verify=false', '--creds', `token:${token}`, to],
  ])
  await client.fails('skopeo finds nothing then', /manifest unknown|not found/i, 'skopeo', pull)
}

async function useEngine(client: Client, program: string, image: string): Promise<void> {
  const name = program.split('/').at(-1) ?? program
  const { token, url } = client.place
  // Podman refuses a path of more than 50 characters here.
  const runroot = mkdtempSync('/tmp/containers-')
  const store = ['--root', client.path(name, 'root'), '--runroot', runroot]
  const run = (...words: readonly string[]): string[] => [
    ...[program, ...store, '--storage-driver', 'vfs', ...words],
  ]
  const plain = '--tls-verify=false'
  const login = (secret: string): string[] =>
    run('login', plain, '--username', 'token', '--password', secret, new URL(url).host)
  const pull = run('pull', plain, `${image}:1.0.0`)
  await client.fails(`${name} without a token`, STORED, name, pull)
  await client.fails(`${name} login with a wrong token`, STORED, name, login(WRONG))
  await client.succeeds(`${name} login`, name, login(token))
  await client.succeeds(`${name} pull`, name, pull)
  if (name === 'podman') {
    const [host, workspace] = image.split('/')
    const found = await client.succeeds('podman search', name, run('search', plain, `${host}/app`))
    client.check('podman search finds the image', found.includes(`${host}/${workspace}/app`), found)
  }
  await client.succeeds(`${name} tag`, name, run('tag', `${image}:1.0.0`, `${image}-${name}:2`))
  await client.succeeds(`${name} push`, name, run('push', plain, `${image}-${name}:2`))
  await client.succeeds(`${name} logout`, name, run('logout', new URL(url).host))
  const again = run('pull', '--policy', 'always', plain, `${image}-${name}:2`)
  await client.fails(`${name} after logout`, STORED, name, name === 'podman' ? pull : again)
  rmSync(runroot, { recursive: true, force: true })
}

/** Docker's own client without its engine: it signs in, and reads a manifest. */
async function useDocker(client: Client, docker: string, image: string): Promise<void> {
  const { token, url } = client.place
  const login = (secret: string): string[] => [
    ...[docker, 'login', '--username', 'token', '--password', secret, new URL(url).host],
  ]
  const inspect = [docker, 'manifest', 'inspect', '--insecure', `${image}:1.0.0`]
  await client.fails('docker without a token', /no such manifest|unauthorized/i, 'docker', inspect)
  await client.fails('docker login with a wrong token', STORED, 'docker', login(WRONG))
  await client.succeeds('docker login', 'docker', login(token))
  await client.succeeds('docker manifest inspect', 'docker', inspect)
  const daemon = await startDockerDaemon(client)
  if (daemon === null)
    client.check('the engine of Docker is left out: it needs dockerd and root', !process.env.CI)
  else
    try {
      await useDockerEngine(client, [docker, '--host', daemon.host], image)
    } finally {
      await daemon.stop()
    }
}

/** Pushes an image of one layer by plain requests, for clients that only copy. */
export async function pushImage(
  { url, workspace, token }: Place,
  reference: string,
): Promise<void> {
  const image = `${url}/v2/${workspace}/app`
  const send = async (path: string, method: string, body: string, type: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const answer = await fetch(image + path, { method, body, headers })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  }
  const blob = async (text: string, mediaType: string) => {
    const digest = `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`
    await send(`/blobs/uploads/?digest=${digest}`, 'POST', text, 'application/octet-stream')
    return { mediaType, digest, size: text.length }
  }
  const type = 'application/vnd.oci.image'
  const config = await blob('{"architecture":"amd64","os":"linux"}', `${type}.config.v1+json`)
  const layers = [await blob('layer', `${type}.layer.v1.tar`)]
  const mediaType = `${type}.manifest.v1+json`
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config, layers })
  await send(`/manifests/${reference}`, 'PUT', manifest, mediaType)
}

/** These find what another client wrote into the home of the person. */
async function useInstalled(client: Client, image: string, names: readonly string[]) {
  const uses = { skopeo: useSkopeo, buildah: useEngine, podman: useEngine, docker: useDocker }
  for (const [name, use] of Object.entries(uses)) {
    if (!names.includes(name)) continue
    const program = Bun.which(name)
    if (program === null) {
      client.check(`${name} is left out: not installed`, !process.env.CI)
      continue
    }
    const own = new Client('containers', client.place, { HOME: client.path(name, 'home') })
    await use(own, program, image)
    client.failures += own.failures
    client.steps += own.steps
  }
}

const imageOf = ({ url, workspace }: Place): string => `${new URL(url).host}/${workspace}/app`

/** What Debian has and needs no daemon. */
export async function runInstalledContainers(place: Place): Promise<Client> {
  const client = new Client('containers', place)
  await pushImage(place, '1.0.0')
  await useInstalled(client, imageOf(place), ['skopeo'])
  return client
}

export async function runContainers(place: Place): Promise<Client | string> {
  const client = new Client('containers', place)
  const image = imageOf(place)
  const crane = findProgram(place.tools, 'crane')
  if (crane === null) return 'crane could not be fetched'
  await useCrane(client, crane, image)
  for (const [name, use] of [
    ['oras', useOras],
    ['regctl', useRegctl],
  ] as const) {
    const program = findProgram(place.tools, name)
    if (program === null)
      client.check(`${name} is left out, as it could not be fetched`, !process.env.CI)
    else await use(client, program, image)
  }
  await useInstalled(client, image, ['skopeo', 'buildah', 'podman', 'docker'])
  return client
}
