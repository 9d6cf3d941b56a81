/**
 * A private package never tells its name. Every address of every registry is asked for a private
 * package and for one that does not exist, by a stranger and by a member without a role: both answers
 * have to be the same but for the name.
 */
import { expect, test } from 'bun:test'
import { makeServedPackages, npmTarball } from './fixture.ts'
import { crateUpload, gem, nupkg, zip } from './formats/archives.ts'

/** Of one length, so that a length tells nothing. */
const SECRET = 'zsecretz'
const NOTHING = 'znothing'

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

/** How a package of each type is published, and every address that names one. */
const DOORS: {
  readonly type: string
  readonly publish: (name: string) => Promise<readonly [method: string, path: string, body: Body]>
  readonly addresses: (name: string) => readonly string[]
}[] = [
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
      `DELETE api/v1/crates/${name}/1.0.0/yank`,
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
      `GET v3/reg/${name}/index.json`,
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
      `DELETE ${name}/1.0.0`,
    ],
  },
]

/** What tells answers apart, without the name and what changes with the time. */
async function answerOf(response: Response, name: string): Promise<unknown> {
  const text = (await response.text()).replaceAll(new RegExp(name, 'gi'), '<name>')
  const headers = ['content-type', 'www-authenticate', 'etag', 'location', 'content-length']
  return [
    response.status,
    text,
    headers.map((header) =>
      response.headers.get(header)?.replaceAll(new RegExp(name, 'gi'), '<n>'),
    ),
  ]
}

for (const { type, publish, addresses } of DOORS)
  test(`${type}: a private package answers as one that does not exist`, async () => {
    const { send, token, mel } = await makeServedPackages()
    const at = (path: string): string => `/packages/acme/${type}/${path}`
    const [method, path, body] = await publish(SECRET)
    const published = await send(at(path), { method, body: body ?? null, token: await token() })
    expect(published.ok).toBe(true)
    for (const secret of [undefined, await token(mel, ['packages:admin'])])
      for (const [index, address] of addresses(SECRET).entries()) {
        const ask = async (request: string, name: string) => {
          const [verb = '', rest = ''] = request.split(' ')
          const init = { method: verb, ...(secret !== undefined && { token: secret }) }
          const response = await send(
            at(rest),
            verb === 'PUT' ? { ...init, body: '"1.0.0"' } : init,
          )
          const answer = await answerOf(response.clone(), name)
          return { answer, text: await response.text(), ok: response.ok }
        }
        const found = await ask(address, SECRET)
        const missing = await ask(addresses(NOTHING)[index] ?? '', NOTHING)
        expect([address, found.answer]).toEqual([address, missing.answer])
        if (found.ok) expect([address, found.text.includes(SECRET)]).toEqual([address, false])
      }
  })
