/** The registries with their addresses that name a package, for tests of what private names tell. */
import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import type { PackageType } from '#features/packages/schema.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { npmTarball, type makeServedPackages } from './fixture.ts'
import { crateUpload, gem, nupkg, zip } from './formats/archives.ts'

/** Of one length and one folder of the index of Cargo, so that these tell nothing. */
export const SECRET = 'zsecretz'
export const NOTHING = 'zsecrety'

const npmBody = (name: string): string => {
  const manifest = { name, version: '1.0.0' }
  const tarball = npmTarball(manifest)
  return JSON.stringify({
    _id: name,
    name,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': manifest },
    _attachments: { [`${name}-1.0.0.tgz`]: { data: tarball.toString('base64') } },
  })
}

const form = (field: string, file: string, bytes: Buffer): FormData => {
  const data = new FormData()
  data.set(field, new Blob([new Uint8Array(bytes)]), file)
  return data
}

const wheelOf = (name: string): Promise<Buffer> =>
  zip({
    [`${name}-1.0.0.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n`,
  })

type Body = RequestInit['body']
const bytes = (buffer: Buffer): Body => new Uint8Array(buffer)

export type Served = Awaited<ReturnType<typeof makeServedPackages>>
type Publish = (name: string) => Promise<readonly [method: string, path: string, body: Body]>

export type Door = {
  readonly type: PackageType
  /** The one request that publishes a package. */
  readonly publish?: Publish
  /** How it is published where that takes more. */
  readonly seed?: (served: Served, name: string, token: string) => Promise<void>
  readonly addresses: (name: string) => readonly string[]
}

const digestOf = (text: string): string =>
  `sha256:${createHash('sha256').update(text).digest('hex')}`
const LAYER = digestOf('layer')
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

async function pushImage({ send }: Served, name: string, token: string): Promise<void> {
  const image = `/v2/acme/${name}`
  const upload = `${image}/blobs/uploads/?digest=${LAYER}`
  await send(upload, { method: 'POST', body: 'layer', token })
  const layers = [{ mediaType: 'x', digest: LAYER, size: 5 }]
  const manifest = { schemaVersion: 2, mediaType: MANIFEST, config: layers[0], layers }
  const put = await send(`${image}/manifests/v1`, {
    method: 'PUT',
    body: JSON.stringify(manifest),
    headers: { 'content-type': MANIFEST },
    token,
  })
  expect(put.status).toBe(201)
}

async function tagModule({ world, ada, send }: Served, name: string, token: string): Promise<void> {
  const repo = `acme/${name}`
  await world.repo(repo, { private: true })
  await world.commit(repo, 'main', { 'go.mod': `module example.com/${repo}\n` })
  await world.call(createTag, ada, { repo, tag: 'v1.0.0', target: 'main' })
  const list = await send(`/packages/acme/go/example.com/${repo}/@v/list`, { token })
  expect(await list.text()).toBe('v1.0.0\n')
}

/** How a package of each type is published, and every address that names one. */
export const DOORS: readonly Door[] = [
  {
    type: 'npm',
    publish: async (name) => ['PUT', name, npmBody(name)],
    addresses: (name) => [
      `GET ${name}`,
      `GET ${name}/1.0.0`,
      `GET ${name}/latest`,
      `GET ${name}/-/${name}-1.0.0.tgz`,
      `GET -/package/${name}/dist-tags`,
      `PUT -/package/${name}/dist-tags/x`,
      `DELETE ${name}/-rev/1`,
      `PUT ${name}/-rev/1`,
      `DELETE ${name}/-/${name}-1.0.0.tgz/-rev/1`,
      `GET ${name}?write=true`,
      `GET -/v1/search?text=${name}`,
    ],
  },
  {
    type: 'cargo',
    publish: async (name) => ['PUT', 'api/v1/crates/new', bytes(crateUpload(name, '1.0.0'))],
    addresses: (name) => [
      `GET ${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`,
      `GET api/v1/crates/${name}/1.0.0/download`,
      `GET api/v1/crates/${name}/owners`,
      `PUT api/v1/crates/${name}/owners`,
      `DELETE api/v1/crates/${name}/1.0.0/yank`,
      `PUT api/v1/crates/${name}/1.0.0/unyank`,
      `GET api/v1/crates?q=${name}`,
    ],
  },
  {
    type: 'maven',
    publish: async (name) => [
      'PUT',
      `com/acme/${name}/1.0.0/${name}-1.0.0.pom`,
      `<project><groupId>com.acme</groupId><artifactId>${name}</artifactId><version>1.0.0</version></project>`,
    ],
    addresses: (name) => [
      `GET com/acme/${name}/maven-metadata.xml`,
      `GET com/acme/${name}/1.0.0/${name}-1.0.0.pom`,
      `GET com/acme/${name}/1.0.0/${name}-1.0.0.pom.sha1`,
      'GET com/acme/maven-metadata.xml',
    ],
  },
  {
    type: 'nuget',
    publish: async (name) => [
      'PUT',
      'v2/package',
      form('package', 'p', await nupkg(name, '1.0.0')),
    ],
    addresses: (name) => [
      `GET v3/flat/${name}/index.json`,
      `GET v3/flat/${name}/1.0.0/${name}.1.0.0.nupkg`,
      `GET v3/flat/${name}/1.0.0/${name}.nuspec`,
      `GET v3/reg1/${name}/index.json`,
      `GET v3/reg2/${name}/index.json`,
      `GET v3/reg2/${name}/1.0.0.json`,
      `GET v3/query?q=${name}`,
      `GET v3/autocomplete?q=${name}`,
      `DELETE v2/package/${name}/1.0.0`,
    ],
  },
  {
    type: 'rubygems',
    publish: async (name) => ['POST', 'api/v1/gems', bytes(gem(name, '1.0.0'))],
    addresses: (name) => [
      `GET info/${name}`,
      'GET versions',
      'GET names',
      `GET gems/${name}-1.0.0.gem`,
      `GET quick/Marshal.4.8/${name}-1.0.0.gemspec.rz`,
      `GET api/v1/gems/${name}.json`,
      `GET api/v1/gems/${name}/owners.yaml`,
      `POST api/v1/gems/${name}/owners`,
      `DELETE api/v1/gems/yank?gem_name=${name}&version=1.0.0`,
      'GET specs.4.8.gz',
      'GET latest_specs.4.8.gz',
      `GET api/v1/search.json?query=${name}`,
    ],
  },
  {
    type: 'composer',
    publish: async (name) => [
      'PUT',
      '?version=1.0.0',
      bytes(await zip({ 'composer.json': JSON.stringify({ name: `acme/${name}` }) })),
    ],
    addresses: (name) => [
      'GET packages.json',
      'GET list.json',
      `GET p2/acme/${name}.json`,
      `GET p2/acme/${name}~dev.json`,
      `PUT ${name}.zip?version=1.0.0`,
      `GET files/acme/${name}/1.0.0.0.zip`,
      `GET search.json?q=${name}`,
    ],
  },
  {
    type: 'pypi',
    publish: async (name) => [
      'POST',
      '',
      form('content', `${name}-1.0.0-py3-none-any.whl`, await wheelOf(name)),
    ],
    addresses: (name) => [
      'GET simple/',
      `GET simple/${name}/`,
      `GET simple/${name.toUpperCase()}/`,
      `GET files/${name}/${name}-1.0.0-py3-none-any.whl`,
      `GET files/${name}/${name}-1.0.0-py3-none-any.whl.metadata`,
    ],
  },
  {
    type: 'generic',
    publish: async (name) => ['PUT', `${name}/1.0.0/a.txt`, 'a'],
    addresses: (name) => [
      `GET ${name}`,
      `GET ${name}/1.0.0/a.txt`,
      `GET ${name}/latest/a.txt`,
      `PUT ${name}/2.0.0/b.txt`,
      `DELETE ${name}/1.0.0`,
    ],
  },
  {
    type: 'container',
    seed: pushImage,
    addresses: (name) => [
      `GET ${name}/tags/list`,
      `GET ${name}/manifests/v1`,
      `GET ${name}/manifests/${LAYER}`,
      `GET ${name}/blobs/${LAYER}`,
      `GET ${name}/referrers/${LAYER}`,
      `POST ${name}/blobs/uploads/`,
      `POST ${name}/blobs/uploads/?digest=${LAYER}`,
      `POST ${name}/blobs/uploads/?mount=${LAYER}&from=acme/${name}`,
      `GET ${name}/blobs/uploads/nothing`,
    ],
  },
  {
    type: 'go',
    seed: tagModule,
    addresses: (name) =>
      ['@latest', '@v/list', '@v/v1.0.0.info', '@v/v1.0.0.mod', '@v/v1.0.0.zip'].map(
        (rest) => `GET example.com/acme/${name}/${rest}`,
      ),
  },
]

/** Publishes the private package. Returns a token of its admin. */
export async function seed(served: Served, door: Door): Promise<string> {
  const token = await served.token(served.ada, ['packages:admin', 'code:read'])
  await door.seed?.(served, SECRET, token)
  const [method = '', path = '', body = null] = (await door.publish?.(SECRET)) ?? []
  if (method === '') return token
  const published = await served.send(`/packages/acme/${door.type}/${path}`, {
    method,
    body: body ?? null,
    token,
  })
  expect(published.ok).toBe(true)
  return token
}

/** As REST and pages name it. */
export function packageName(type: string, name: string): string {
  if (type === 'composer') return `acme/${name}`
  return type === 'maven' ? `com.acme:${name}` : name
}

export const baseOf = (type: string): string =>
  type === 'container' ? '/v2/acme/' : `/packages/acme/${type}/`
