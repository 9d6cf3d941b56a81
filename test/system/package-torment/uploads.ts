/** One upload of every format whose packages come in one request. */
import { OWNER } from '../../../scripts/support/forge.ts'
import { crateUpload, gem, nupkg, zip } from '../../features/packages/formats/archives.ts'
import { npmTarball } from '../../features/packages/fixture.ts'

const { workspace } = OWNER

export type Upload = {
  readonly type: string
  readonly method: string
  readonly path: string
  readonly content_type: string
  readonly body: Buffer
}

/** Bytes that do not compress, so that an archive of them is long. */
const noise = (text: string, bytes = 200_000): string =>
  Buffer.from(new Bun.CryptoHasher('sha512').update(text).digest())
    .toString('base64')
    .padEnd(bytes, text)

function npmUpload(name: string, text: string): Upload {
  const manifest = { name, version: '1.0.0', description: text }
  const tarball = npmTarball(manifest, { 'a.txt': noise(text) })
  const body = {
    _id: name,
    name,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': manifest },
    _attachments: {
      [`${name}-1.0.0.tgz`]: { data: tarball.toString('base64'), length: tarball.length },
    },
  }
  return {
    type: 'npm',
    method: 'PUT',
    path: `npm/${name}`,
    content_type: 'application/json',
    body: Buffer.from(JSON.stringify(body)),
  }
}

/** A form with one file, as the clients of NuGet and PyPI send it. */
export function formWithFile(
  name: string,
  file: string,
  content: Buffer,
): Pick<Upload, 'content_type' | 'body'> {
  const boundary = 'between-the-parts'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\n\r\n`
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

export const BYTES = 'application/octet-stream'

export async function uploadsOf(name: string, text: string): Promise<Upload[]> {
  const wheel = await zip({
    [`${name}/a.py`]: noise(text),
    [`${name}-1.0.0.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n`,
  })
  const composer = await zip({
    'composer.json': JSON.stringify({ name: `acme/${name}`, version: '1.0.0', description: text }),
  })
  const file = `${name}-1.0.0-py3-none-any.whl`
  const bytes = (type: string, method: string, path: string, body: Buffer): Upload => ({
    type,
    method,
    path,
    content_type: BYTES,
    body,
  })
  const manifest = `[package]\nname = "${name}"\nversion = "1.0.0"\ndescription = "${noise(text, 5_000)}"\n`
  const crate = crateUpload(name, '1.0.0', { manifest })
  return [
    npmUpload(name, text),
    bytes('cargo', 'PUT', 'cargo/api/v1/crates/new', crate),
    bytes(
      'maven',
      'PUT',
      `maven/com/acme/${name}/1.0.0/${name}-1.0.0.jar`,
      Buffer.from(noise(text)),
    ),
    {
      type: 'nuget',
      method: 'PUT',
      path: 'nuget/v2/package',
      ...formWithFile('package', 'p', await nupkg(name, '1.0.0', text)),
    },
    bytes('rubygems', 'POST', 'rubygems/api/v1/gems', gem(name, '1.0.0', `description: ${text}`)),
    bytes('composer', 'PUT', 'composer/?version=1.0.0', composer),
    { type: 'pypi', method: 'POST', path: 'pypi/', ...formWithFile('content', file, wheel) },
    bytes('generic', 'PUT', `generic/${name}/1.0.0/a.txt`, Buffer.from(noise(text))),
  ]
}

export const below = (upload: Upload): Upload => ({
  ...upload,
  path: `/packages/${workspace}/${upload.path}`,
})
