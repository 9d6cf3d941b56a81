/** Packages with long READMEs, hundreds of versions and dependencies. */
import { crateUpload, zip } from '../../features/packages/formats/archives.ts'
import { npmTarball } from '../../features/packages/fixture.ts'
import { formWithFile } from '../package-torment/uploads.ts'
import { WORKSPACE, type Filling } from './filling.ts'
import { denseText, longDocument, longLine } from './texts.ts'

const AT = `/packages/${WORKSPACE}`
const README = `# Long\n\n${longDocument(300_000)}`

const dependencies = Object.fromEntries(
  Array.from({ length: 600 }, (_, at) => [
    `a-dependency-with-a-rather-long-name-${at}`,
    `^1.${at}.0 || >=${at}.0.0`,
  ]),
)

function npmBody(name: string, version: string, readme: string): string {
  const manifest = {
    name,
    version,
    description: longLine(900),
    license: longLine(200),
    keywords: Array.from({ length: 100 }, (_, at) => `keyword-${at}`),
    homepage: `https://example.com/${'long/'.repeat(100)}`,
    author: longLine(300),
    maintainers: Array.from({ length: 100 }, (_, at) => ({
      name: longLine(60, at),
      email: `m${at}@example.com`,
    })),
    dependencies,
    devDependencies: dependencies,
  }
  return JSON.stringify({
    _id: name,
    name,
    'dist-tags': { latest: version, [`tag-${version.replaceAll('.', '-')}`]: version },
    versions: { [version]: { ...manifest, readme } },
    _attachments: {
      [`${name}-${version}.tgz`]: (() => {
        const tarball = npmTarball(manifest, { 'README.md': readme })
        return { data: tarball.toString('base64'), length: tarball.length }
      })(),
    },
  })
}

export async function fillPackages({ hearth, token, times }: Filling): Promise<string[]> {
  const send = async (
    method: string,
    path: string,
    body: string | Buffer,
    type = 'application/octet-stream',
  ) => {
    const answer = await fetch(hearth.url + AT + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  await times(120, (at) =>
    send(
      'PUT',
      '/npm/long',
      npmBody('long', `1.${at}.0`, at % 2 === 0 ? README : denseText(200_000)),
      'application/json',
    ),
  )
  await times(60, (at) =>
    send(
      'PUT',
      `/npm/${'a-package-with-a-long-name-'.repeat(6)}${at}`,
      npmBody(`${'a-package-with-a-long-name-'.repeat(6)}${at}`, '1.0.0', '# One'),
      'application/json',
    ),
  )
  const manifest = `[package]\nname = "long"\nversion = "1.0.0"\ndescription = "Long"\n`
  await send(
    'PUT',
    '/cargo/api/v1/crates/new',
    crateUpload('long', '1.0.0', { manifest, metadata: { readme: README } }),
  )
  const wheel = await zip({
    'long.py': 'x = 1\n',
    'long-1.0.0.dist-info/METADATA': `Metadata-Version: 2.1\nName: long\nVersion: 1.0.0\nSummary: Long\nDescription-Content-Type: text/markdown\n\n${README}`,
  })
  const python = formWithFile('content', 'long-1.0.0-py3-none-any.whl', wheel)
  await send('POST', '/pypi/', python.body, python.content_type)
  const composer = {
    name: 'library/long',
    version: '1.0.0',
    description: longLine(900),
    require: {},
  }
  await send(
    'PUT',
    '/composer/?version=1.0.0',
    await zip({ 'composer.json': JSON.stringify(composer), 'README.md': README }),
  )
  await times(200, (at) =>
    send('PUT', `/generic/long/1.0.0/${'a-file-with-a-long-name-'.repeat(6)}${at}.txt`, 'x'),
  )
  const here = `/${WORKSPACE}/-/packages`
  return [
    here,
    ...['npm/long', 'cargo/long', 'pypi/long', 'composer/library%2Flong', 'generic/long'].map(
      (path) => `${here}/${path}`,
    ),
    `${here}/npm/long/access`,
    `${here}/npm/long/retention`,
    `${here}/npm/long/settings`,
    `${here}/retention`,
    `${here}/upstreams`,
    `/${REPO_PACKAGES}`,
  ]
}
const REPO_PACKAGES = `${WORKSPACE}/long/packages`
