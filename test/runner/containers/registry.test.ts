/** The client for registries, which fetches images for Docker, against a registry over TLS. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { sha256 } from '#lib/hash.ts'
import { fetchFiles, findManifest } from '#src/runner/containers/image-files.ts'
import { Repository } from '#src/runner/containers/registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'registry-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const place = (name: string): string => join(folder, name)

type Answer = (request: Request) => Response | null
let answer: Answer = () => null
let asked: string[] = []
let server: ReturnType<typeof Bun.serve>

beforeAll(() => {
  const subject = ['-subj', '/CN=registry', '-addext', 'subjectAltName=DNS:registry.test']
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-days', '2', '-keyout', place('key'), '-out', place('crt'), ...subject],
  ])
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: readFileSync(place('key'), 'utf8'), cert: readFileSync(place('crt'), 'utf8') },
    fetch(request) {
      asked.push(new URL(request.url).pathname)
      return answer(request) ?? new Response('', { status: 404 })
    },
  })
  const own = place(`certs/registry.test:${server.port}`)
  mkdirSync(own, { recursive: true })
  cpSync(place('crt'), join(own, 'ca.crt'))
})
afterAll(() => server.stop(true))
afterEach(() => {
  asked = []
  hosts = []
})

let hosts: string[] = []
const repository = (credentials: { username: string; password: string } | null = null) =>
  new Repository(`registry.test:${server.port}`, 'acme/tool', credentials, {
    certificates: place('certs'),
    signal: new AbortController().signal,
    findRegistry: async (host) => {
      hosts.push(host)
      if (host !== 'registry.test') throw new Error(`${host} is refused`)
      return '127.0.0.1'
    },
  })

const blob = (bytes: Uint8Array) => ({ digest: `sha256:${sha256(bytes)}`, size: bytes.length })
const CONFIG = Buffer.from('{"architecture":"any"}')
const TEXT = Buffer.from('what the layer has\n'.repeat(1000))
const PLAIN = Buffer.from('plain')
const LAYERS = [new Uint8Array(Bun.gzipSync(TEXT)), new Uint8Array(zstdCompressSync(TEXT)), PLAIN]
const MANIFEST = Buffer.from(
  JSON.stringify({ config: blob(CONFIG), layers: LAYERS.map((layer) => blob(layer)) }),
)
const platform = (os: string, architecture: string) => ({ platform: { os, architecture } })
const INDEX = Buffer.from(
  JSON.stringify({
    manifests: [
      { ...blob(Buffer.from('windows')), ...platform('windows', 'amd64') },
      { ...blob(MANIFEST), ...platform('linux', 'amd64') },
      { ...blob(MANIFEST), ...platform('linux', 'arm64') },
    ],
  }),
)
const FILES = new Map(
  [CONFIG, MANIFEST, INDEX, ...LAYERS].map((bytes) => [blob(bytes).digest, bytes]),
)

/** The registry, where `bytes` may be others than those of the digest. */
const registry =
  (changed: ReadonlyMap<string, Uint8Array> = new Map()): Answer =>
  (request) => {
    const last = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const bytes = last === '1' ? INDEX : (changed.get(last) ?? FILES.get(last))
    return bytes === undefined ? null : new Response(new Uint8Array(bytes))
  }

async function fetchAll(from = repository()) {
  const target = mkdtempSync(place('files-'))
  const { digest, document } = await findManifest(from, '1')
  return { digest, ...(await fetchFiles(from, document, target)) }
}

test('an image is that for this machine, with its layers unpacked', async () => {
  answer = registry()
  const { digest, config, layers } = await fetchAll()
  expect(digest).toBe(blob(INDEX).digest)
  expect(readFileSync(config.path)).toEqual(CONFIG)
  expect(layers.map(({ path }) => readFileSync(path))).toEqual([TEXT, TEXT, PLAIN])
  expect(layers.map(({ size }) => size)).toEqual([TEXT.length, TEXT.length, PLAIN.length])
})

test('bytes of another digest are no part of an image', async () => {
  for (const bytes of [CONFIG, MANIFEST, ...LAYERS]) {
    const others = Buffer.from(bytes)
    others[others.length - 1] = (others.at(-1) ?? 0) ^ 1
    answer = registry(new Map([[blob(bytes).digest, others]]))
    await expect(fetchAll()).rejects.toThrow()
  }
  answer = registry(new Map([[blob(PLAIN).digest, Buffer.from('plain and more')]]))
  await expect(fetchAll()).rejects.toThrow('more than 5 bytes')
})

test('an image of other machines alone is refused', async () => {
  const others = { manifests: [{ ...blob(MANIFEST), ...platform('windows', 'amd64') }] }
  await expect(fetchFiles(repository(), others, folder)).rejects.toThrow('it has none for Linux')
  expect(asked).toEqual([])
})

test('a token is asked for with the credentials, and a redirect gets none of it', async () => {
  const files = registry()
  const basic = `Basic ${btoa('robot:secret')}`
  const seen: string[] = []
  answer = (request) => {
    const { pathname, searchParams, origin } = new URL(request.url)
    const authorization = request.headers.get('authorization')
    if (pathname === '/token') {
      expect(searchParams.get('scope')).toBe('repository:acme/tool:pull')
      return authorization === basic ? Response.json({ token: 'abc' }) : null
    }
    if (authorization !== 'Bearer abc')
      return new Response('', {
        status: 401,
        headers: {
          'www-authenticate': `Bearer realm="${origin}/token",service="x",scope="repository:acme/tool:pull"`,
        },
      })
    seen.push(pathname)
    return files(request)
  }
  const { layers } = await fetchAll(repository({ username: 'robot', password: 'secret' }))
  expect(layers).toHaveLength(3)
  // Once for the whole image.
  expect(asked.filter((path) => path === '/token')).toHaveLength(1)
  expect(seen).toHaveLength(6)
  await expect(fetchAll(repository())).rejects.toThrow('gave no token')
})

test('neither redirects nor addresses for tokens lead where the server does not allow', async () => {
  answer = () =>
    new Response('', { status: 302, headers: { location: 'https://169.254.169.254/latest' } })
  await expect(repository().manifest('1')).rejects.toThrow('169.254.169.254 is refused')
  answer = () => new Response('', { status: 302, headers: { location: 'http://registry.test/' } })
  await expect(repository().manifest('1')).rejects.toThrow('is not followed')
  const realms = ['https://127.0.0.1/token', 'http://127.0.0.1/token', 'nowhere']
  for (const realm of realms) {
    answer = () =>
      new Response('', { status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}"` } })
    await expect(repository().manifest('1')).rejects.toThrow()
  }
  expect(new Set(hosts)).toEqual(new Set(['registry.test', '169.254.169.254', '127.0.0.1']))
})

test('a certificate that nobody vouches for is refused', async () => {
  answer = registry()
  const stranger = new Repository(`registry.test:${server.port}`, 'acme/tool', null, {
    certificates: place('none'),
    signal: new AbortController().signal,
    findRegistry: async () => '127.0.0.1',
  })
  await expect(stranger.manifest('1')).rejects.toThrow('cannot be reached')
  expect(asked).toEqual([])
})
