/**
 * A package of every type in the workspace `mill`: an image with platforms and attachments, a version that is
 * yanked, one that is deprecated, one that is deleted. For scripts that look at all pages.
 */
import { createHash } from 'node:crypto'
import { crateUpload, gem, nupkg, zip } from '../features/packages/formats/archives.ts'
import { npmTarball } from '../features/packages/fixture.ts'
import { formWithFile } from '../system/package-torment/uploads.ts'
import type { asker } from './story.ts'

const WORKSPACE = 'mill'
const AT = `/${WORKSPACE}/-/packages`
const BYTES = 'application/octet-stream'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const INDEX = 'application/vnd.oci.image.index.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const README = '# Grist\n\nGrinds rye and wheat.\n\n```sh\ngrist --fine rye\n```\n'

type Send = (method: string, path: string, body: string | Buffer, type?: string) => Promise<string>

const sender =
  (url: string, token: string): Send =>
  async (method, path, body, type = BYTES) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(body !== '' && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }

const digestOf = (bytes: string | Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** An image for two platforms with a signature and a bill of materials, and an untagged one before it. */
async function pushImage(send: Send): Promise<void> {
  const image = `/v2/${WORKSPACE}/grist`
  const blob = async (mediaType: string, bytes: string) => {
    const digest = digestOf(bytes)
    await send('POST', `${image}/blobs/uploads/?digest=${digest}`, bytes)
    return { mediaType, digest, size: bytes.length }
  }
  const put = async (reference: string, mediaType: string, document: object) => {
    const bytes = JSON.stringify({ schemaVersion: 2, mediaType, ...document })
    const digest = digestOf(bytes)
    await send('PUT', `${image}/manifests/${reference || digest}`, bytes, mediaType)
    return { mediaType, digest, size: bytes.length }
  }
  const imageFor = async (architecture: string, text: string) => ({
    config: await blob(CONFIG, JSON.stringify({ os: 'linux', architecture })),
    layers: [await blob(LAYER, text.repeat(40_000))],
  })
  await put('1.0', MANIFEST, await imageFor('amd64', 'coarse'))
  const manifests = []
  for (const architecture of ['amd64', 'arm64'])
    manifests.push({
      ...(await put('', MANIFEST, await imageFor(architecture, `fine ${architecture}`))),
      platform: { os: 'linux', architecture },
    })
  const index = { manifests, annotations: { 'org.opencontainers.image.description': 'Grinds.' } }
  const subject = await put('1.1', INDEX, index)
  await put('latest', INDEX, index)
  for (const [artifactType, text] of [
    ['application/vnd.dev.cosign.artifact.sig.v1+json', 'signed'],
    ['application/spdx+json', '{"spdxVersion":"SPDX-2.3"}'],
  ] as const)
    await put('', MANIFEST, {
      artifactType,
      subject,
      config: await blob('application/vnd.oci.empty.v1+json', '{}'),
      layers: [await blob(artifactType, text)],
    })
}

function npmBody(name: string, version: string, more: object): string {
  const manifest = { name, version, description: 'Grinds rye and wheat.', ...more }
  const tarball = npmTarball(manifest, { 'README.md': README })
  return JSON.stringify({
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, readme: README } },
    _attachments: {
      [`${name}-${version}.tgz`]: { data: tarball.toString('base64'), length: tarball.length },
    },
  })
}

/** Deprecates a version as `npm deprecate` does: by the changed document of the package. */
async function deprecate(send: Send, name: string, version: string, text: string): Promise<void> {
  const path = `/packages/${WORKSPACE}/npm/${name}`
  const document = JSON.parse(await send('GET', path, '')) as {
    versions: Record<string, { deprecated?: string }>
  }
  document.versions[version] = { ...document.versions[version], deprecated: text }
  await send('PUT', path, JSON.stringify(document), 'application/json')
}

async function publishAll(send: Send): Promise<void> {
  const at = `/packages/${WORKSPACE}`
  const json = 'application/json'
  await send('PUT', `${at}/npm/grist`, npmBody('grist', '1.0.0', {}), json)
  await send('PUT', `${at}/npm/grist`, npmBody('grist', '1.1.0', {}), json)
  await deprecate(send, 'grist', '1.0.0', 'Grinds too coarse. Take 1.1.')
  const flour = npmBody('flour', '0.1.0', { dependencies: { grist: '^1.0.0' } })
  await send('PUT', `${at}/npm/flour`, flour, json)
  for (const version of ['1.0.0', '1.0.1', '1.1.0-beta.1']) {
    const manifest = `[package]\nname = "grist"\nversion = "${version}"\ndescription = "Grinds."\n`
    const crate = crateUpload('grist', version, { manifest, metadata: { readme: README } })
    await send('PUT', `${at}/cargo/api/v1/crates/new`, crate)
  }
  await send('DELETE', `${at}/cargo/api/v1/crates/grist/1.0.1/yank`, '')
  await send('PUT', `${at}/maven/com/mill/grist/1.0.0/grist-1.0.0.jar`, 'jar')
  const pom =
    '<project><groupId>com.mill</groupId><artifactId>grist</artifactId><version>1.0.0</version></project>'
  await send('PUT', `${at}/maven/com/mill/grist/1.0.0/grist-1.0.0.pom`, pom)
  const nuget = formWithFile('package', 'package', await nupkg('Mill.Grist', '1.0.0'))
  await send('PUT', `${at}/nuget/v2/package`, nuget.body, nuget.content_type)
  await send('POST', `${at}/rubygems/api/v1/gems`, gem('grist', '1.0.0'))
  const composer = { name: 'mill/grist', version: '1.0.0', description: 'Grinds.' }
  await send(
    'PUT',
    `${at}/composer/?version=1.0.0`,
    await zip({ 'composer.json': JSON.stringify(composer), 'README.md': README }),
  )
  const wheel = await zip({
    'grist.py': 'def grind(): pass\n',
    'grist-1.0.0.dist-info/METADATA': `Metadata-Version: 2.1\nName: grist\nVersion: 1.0.0\nSummary: Grinds.\n\n${README}`,
  })
  const python = formWithFile('content', 'grist-1.0.0-py3-none-any.whl', wheel)
  await send('POST', `${at}/pypi/`, python.body, python.content_type)
  await send('PUT', `${at}/generic/grist/1.0.0/grist-linux-x64.txt`, 'grist')
  await send('PUT', `${at}/generic/chaff/1.0.0/chaff.txt`, 'chaff')
}

/** Publishes all of them. Gives the addresses of their pages. */
export async function publishEveryPackage(
  url: string,
  token: string,
  ask: ReturnType<typeof asker>,
): Promise<Record<string, string>> {
  const send = sender(url, token)
  await ask('POST', '/repos', { workspace: WORKSPACE, name: 'sieve', private: false })
  await pushImage(send)
  await publishAll(send)
  const of = `/workspaces/${WORKSPACE}/packages`
  await ask('DELETE', `${of}/cargo/grist/versions/1.1.0-beta.1`)
  await ask('DELETE', `${of}/generic/chaff`, { confirm: 'chaff' })
  await ask('PUT', `${of}/npm/grist/repository`, { repository: `${WORKSPACE}/sieve` })
  await ask('PATCH', `${of}/container/grist`, { visibility: 'public' })
  const types = {
    image: 'container/grist',
    'image-version': 'container/grist?version=1.1',
    npm: 'npm/grist',
    'npm-version': 'npm/grist?version=1.0.0',
    crate: 'cargo/grist',
    maven: 'maven/com.mill%3Agrist',
    nuget: 'nuget/Mill.Grist',
    gem: 'rubygems/grist',
    composer: 'composer/mill%2Fgrist',
    python: 'pypi/grist',
    files: 'generic/grist',
  }
  const preview = 'keep_newest=1&older_than_days=0&snapshots_kept=1'
  return {
    ...Object.fromEntries(
      Object.entries(types).map(([name, path]) => [`package-${name}`, `${AT}/${path}`]),
    ),
    'package-deleted': `${AT}/generic/chaff`,
    'package-deleted-settings': `${AT}/generic/chaff/settings`,
    'package-image-settings': `${AT}/container/grist/settings`,
    'package-linked-settings': `${AT}/npm/grist/settings`,
    'package-linked-access': `${AT}/npm/grist/access`,
    'packages-all': AT,
    'packages-deleted': `${AT}?state=deleted`,
    'packages-none-found': `${AT}?q=rice`,
    'packages-go': `${AT}?type=go`,
    'packages-of-repo': `/${WORKSPACE}/sieve/packages`,
    'retention-preview': `${AT}/retention?${preview}`,
    'retention-nothing': `${AT}/npm/flour/retention?${preview}`,
    'retention-crate': `${AT}/cargo/grist/retention?${preview}`,
  }
}
