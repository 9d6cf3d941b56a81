/** The same for the protocols of services: registries, Git LFS, scanners, runners, models, wiki. */
import { gzipSync } from 'node:zlib'
import { crateUpload, gem, nupkg, tar, zip } from '../../features/packages/formats/archives.ts'
import type { Attack } from './attacks.ts'
import type { ForgeClient } from './measured-forge.ts'

const BODY = [64_000, 1_000_000]
const HEADER = [15_000]
const SMALL_BODY = [60_000]
const JSON_TYPE = 'application/json'
const LFS_TYPE = 'application/vnd.git-lfs+json'

type Headers = Record<string, string>
type Send = (text: string) => Promise<number>

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 15_000)

class ServiceSender {
  constructor(private readonly forge: ForgeClient) {}

  async send(method: string, path: string, body: BodyInit | null, headers: Headers) {
    try {
      const response = await this.forge.send(path, {
        method,
        body,
        redirect: 'manual',
        headers: { authorization: `Bearer ${this.forge.token}`, ...headers },
      })
      await response.arrayBuffer()
      return response.status
    } catch {
      // A server that refuses a body closes the connection while it is still being sent.
      return 0
    }
  }

  json(path: string, body: (text: string) => unknown, method = 'POST', type = JSON_TYPE): Send {
    return (text) => {
      const value = body(text.toWellFormed())
      const sent = typeof value === 'string' ? value : JSON.stringify(value)
      return this.send(method, path, sent, { 'content-type': type })
    }
  }

  bytes(method: string, path: string, headers: Headers = {}): Send {
    return (text) => this.send(method, path, text.toWellFormed(), headers)
  }

  get(path: (text: string) => string): Send {
    return (text) => this.send('GET', path(text), null, {})
  }
}

const OID = '0'.repeat(64)

function transferAttacks(sender: ServiceSender): Attack[] {
  const lfs = '/acme/site.git/info/lfs'
  return [
    { name: 'LFS batch', sizes: BODY, send: sender.json(`${lfs}/objects/batch`, (a) => a) },
    {
      name: 'objects of an LFS batch',
      sizes: BODY,
      send: sender.json(`${lfs}/objects/batch`, (text) => ({
        operation: 'upload',
        objects: Array.from({ length: text.length / 100 }, () => ({ oid: OID, size: 1 })),
        ref: { name: text },
      })),
    },
    {
      name: 'LFS lock',
      sizes: SMALL_BODY,
      send: sender.json(`${lfs}/locks`, (path) => ({ path }), 'POST', LFS_TYPE),
    },
    {
      name: 'LFS object',
      sizes: BODY,
      send: sender.bytes('PUT', `${lfs}/objects/${OID}`, {
        'content-type': 'application/octet-stream',
      }),
    },
    {
      name: 'attachment',
      sizes: BODY,
      send: sender.bytes('POST', '/api/repos/acme/site/attachments?name=a.svg', {
        'content-type': 'image/svg+xml',
      }),
    },
  ]
}

function packageAttacks(sender: ServiceSender): Attack[] {
  const base = '/packages/acme'
  const npm = (text: string, inside: (text: string) => object) => ({
    _id: '@acme/a',
    name: '@acme/a',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name: '@acme/a', version: '1.0.0', ...inside(text) } },
    _attachments: {
      '@acme/a-1.0.0.tgz': {
        data: gzipSync(tar({ 'package/package.json': text })).toString('base64'),
      },
    },
  })
  const manifest = '/v2/acme/a/manifests/latest'
  return [
    {
      name: 'npm publish',
      sizes: BODY,
      send: sender.json(`${base}/npm/@acme%2fa`, (a) => a, 'PUT'),
    },
    {
      name: 'npm readme and tarball',
      sizes: BODY,
      send: sender.json(
        `${base}/npm/@acme%2fa`,
        (text) => npm(text, (readme) => ({ readme })),
        'PUT',
      ),
    },
    {
      name: 'npm ranges',
      sizes: SMALL_BODY,
      send: sender.json(
        `${base}/npm/@acme%2fa`,
        (text) => npm(text, (range) => ({ dependencies: { b: range }, engines: { node: range } })),
        'PUT',
      ),
    },
    {
      name: 'npm audit',
      sizes: BODY,
      send: sender.json(`${base}/npm/-/npm/v1/security/advisories/bulk`, (a) => a),
    },
    {
      name: 'npm search',
      sizes: HEADER,
      send: sender.get((text) => `${base}/npm/-/v1/search?text=${encoded(text)}`),
    },
    {
      name: 'path of a registry',
      sizes: HEADER,
      send: sender.get((a) => `${base}/npm/${encoded(a)}`),
    },
    { name: 'go', sizes: HEADER, send: sender.get((a) => `${base}/go/${encoded(a)}/@v/list`) },
    {
      name: 'manifest of an image',
      sizes: BODY,
      send: sender.bytes('PUT', manifest, {
        'content-type': 'application/vnd.oci.image.manifest.v1+json',
      }),
    },
    {
      name: 'layers of a manifest',
      sizes: BODY,
      send: sender.json(
        manifest,
        (text) => {
          const layer = { mediaType: text.slice(0, 50), digest: `sha256:${OID}`, size: 1 }
          return {
            schemaVersion: 2,
            config: layer,
            layers: Array.from({ length: text.length / 200 }, () => layer),
          }
        },
        'PUT',
        'application/vnd.oci.image.manifest.v1+json',
      ),
    },
  ]
}

/** Archives of each ecosystem whose description of the package is the text. */
function archiveAttacks(sender: ServiceSender): Attack[] {
  let uploads = 0
  const next = (): string => `a${uploads++}`
  const put = (method: string, path: string, bytes: Uint8Array, headers: Headers = {}) =>
    sender.send(method, `/packages/acme/${path}`, new Uint8Array(bytes), headers)
  const form = async (path: string, method: string, file: Uint8Array, fields: Headers) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    data.append('content', new Blob([new Uint8Array(file)]), `${fields.name ?? 'a'}-1.0.tar.gz`)
    return sender.send(method, `/packages/acme/${path}`, data, {})
  }
  const cargo = 'cargo/api/v1/crates/new'
  const sends: Readonly<Record<string, Send>> = {
    'file of any kind': (text) => put('PUT', `generic/${next()}/1.0.0/a`, Buffer.from(text)),
    'maven POM': (text) => {
      const [id, body] = [next(), Buffer.from(`<project>${text}</project>`)]
      return put('PUT', `maven/a/${id}/1.0/${id}-1.0.pom`, body)
    },
    'maven metadata': (text) => put('PUT', 'maven/a/b/maven-metadata.xml', Buffer.from(text)),
    'crate manifest': (manifest) => put('PUT', cargo, crateUpload(next(), '1.0.0', { manifest })),
    'crate metadata': (text) =>
      put('PUT', cargo, crateUpload(next(), '1.0.0', { metadata: { readme: text } })),
    'crate ranges': (version_req) => {
      const deps = [{ name: 'b', version_req, kind: 'normal', optional: false, features: [] }]
      return put('PUT', cargo, crateUpload(next(), '1.0.0', { metadata: { deps } }))
    },
    gem: (text) => put('POST', 'rubygems/api/v1/gems', gem(next(), '1.0.0', text)),
    nuspec: async (text) => form('nuget/v2/package', 'PUT', await nupkg(next(), '1.0.0', text), {}),
    'composer.json': async (text) =>
      put('PUT', 'composer', await zip({ 'composer.json': text, 'a.php': 'a' })),
    'composer texts': async (text) => {
      const name = `acme/${next()}`
      const json = JSON.stringify({
        name,
        version: '1.0.0',
        description: text,
        require: { b: text },
      })
      return put('PUT', 'composer', await zip({ 'composer.json': json }))
    },
    'python metadata': (text) => {
      const name = next()
      const info = `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\nRequires-Dist: ${text}`
      const file = gzipSync(tar({ [`${name}-1.0/PKG-INFO`]: info }))
      const fields = { ':action': 'file_upload', name, version: '1.0', filetype: 'sdist' }
      return form('pypi', 'POST', file, fields)
    },
  }
  return Object.entries(sends).map(([name, send]) => ({
    name,
    sizes: BODY,
    send: (text) => send(text.toWellFormed()),
  }))
}

function scannerAttacks(sender: ServiceSender, commit_sha: string): Attack[] {
  const path = '/api/repos/acme/site/code-scanning/sarifs'
  const upload = (sarif: unknown) => ({
    commit_sha,
    git_ref: 'refs/heads/main',
    sarif,
  })
  const run = (text: string) => ({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: text.slice(0, 50) } }, results: [{ message: { text } }] }],
  })
  return [
    { name: 'SARIF', sizes: BODY, send: sender.json(path, (text) => upload(text)) },
    { name: 'SARIF as JSON', sizes: BODY, send: sender.json(path, (text) => upload(run(text))) },
    {
      name: 'SARIF in gzip',
      sizes: [1_000_000, 10_000_000],
      send: sender.json(path, (text) => upload(gzipSync(text).toString('base64'))),
    },
  ]
}

function machineAttacks(sender: ServiceSender): Attack[] {
  const runner = '/api/actions/runner.v1.RunnerService'
  const proto = { 'content-type': 'application/proto' }
  const chat = (content: string) => ({ model: 'a', messages: [{ role: 'user', content }] })
  return [
    { name: 'runner registers', sizes: BODY, send: sender.json(`${runner}/Register`, (a) => a) },
    {
      name: 'runner registers (protobuf)',
      sizes: BODY,
      send: sender.bytes('POST', `${runner}/Register`, proto),
    },
    { name: 'runner log', sizes: BODY, send: sender.bytes('POST', `${runner}/UpdateLog`, proto) },
    {
      name: 'results service',
      sizes: BODY,
      send: sender.json(
        '/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact',
        (text) => text,
      ),
    },
    { name: 'model', sizes: BODY, send: sender.json('/model/v1/chat/completions', (a) => a) },
    { name: 'model text', sizes: BODY, send: sender.json('/model/v1/chat/completions', chat) },
    { name: 'model messages', sizes: BODY, send: sender.json('/model/v1/messages', chat) },
    { name: 'model input', sizes: BODY, send: sender.json('/model/v1/responses', (a) => a) },
    {
      name: 'incoming webhook',
      sizes: BODY,
      send: sender.json('/-/in/itg_01jmzzzzzzfzzrzzzzzzzzzzzz/abc', (text) => text),
    },
  ]
}

function textAttacks(sender: ServiceSender): Attack[] {
  const repo = '/api/repos/acme/site'
  let pages = 0
  const page: Send = async (text) => {
    const slug = `page-${pages++}`
    const body = JSON.stringify({ title: slug, body: text.toWellFormed() })
    const type = { 'content-type': JSON_TYPE }
    const status = await sender.send('PUT', `${repo}/wiki/${slug}`, body, type)
    if (status >= 300) return status
    return sender.send('GET', `/acme/site/wiki/${slug}`, null, {})
  }
  return [
    { name: 'wiki page', sizes: SMALL_BODY, send: page },
    {
      name: 'question',
      sizes: [400, 4_000],
      send: sender.json(`${repo}/questions`, (question) => ({ question })),
    },
    {
      name: 'memory',
      sizes: [400, 4_000],
      send: sender.json(`${repo}/memory`, (text) => ({ text })),
    },
    {
      name: 'context',
      sizes: [400, 4_000],
      send: sender.get((text) => `/api/workspaces/acme/context/search?query=${encoded(text)}`),
    },
    {
      name: 'ruleset pattern',
      sizes: [400, 4_000],
      send: sender.json(`${repo}/rulesets`, (pattern) => ({
        name: 'a',
        target: 'branch',
        enforcement: 'disabled',
        conditions: { ref_name: { include: [pattern.slice(0, 200)], exclude: [] } },
        rules: [{ type: 'commit_message', parameters: { pattern: pattern.slice(0, 500) } }],
      })),
    },
  ]
}

export async function serviceAttacks(forge: ForgeClient): Promise<Attack[]> {
  const sender = new ServiceSender(forge)
  const response = await forge.api('GET', '/repos/acme/site/commits?per_page=1')
  const { items = [] } = (await response.json()) as { items?: { sha: string }[] }
  return [
    ...transferAttacks(sender),
    ...packageAttacks(sender),
    ...archiveAttacks(sender),
    ...scannerAttacks(sender, items[0]?.sha ?? ''),
    ...machineAttacks(sender),
    ...textAttacks(sender),
  ]
}
