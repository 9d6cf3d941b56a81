/** Packages as clients make them, built in memory. */
import { gzipSync } from 'node:zlib'
import type { ArchivedFile } from '#lib/archives/archived-file.ts'
import { writeZip } from '#lib/archives/zip-writer.ts'
import { tarEntry } from '../fixture.ts'

export const tar = (files: Readonly<Record<string, string | Uint8Array>>): Buffer =>
  Buffer.concat([
    ...Object.entries(files).map(([name, content]) => tarEntry(name, content)),
    Buffer.alloc(1024),
  ])

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* filesOf(files: Readonly<Record<string, string>>): AsyncGenerator<ArchivedFile> {
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    yield { path, isExecutable: false, size: bytes.length, data: piece(bytes) }
  }
}

export async function zip(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of writeZip(filesOf(files), 6)) parts.push(part)
  return Buffer.concat(parts)
}

const withLength = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

type CrateOptions = {
  readonly manifest?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The body of `cargo publish`. */
export function crateUpload(name: string, vers: string, options: CrateOptions = {}): Buffer {
  const { manifest = `[package]\nname = "${name}"\nversion = "${vers}"\n`, metadata } = options
  const crate = gzipSync(tar({ [`${name}-${vers}/Cargo.toml`]: manifest }))
  const described = { name, vers, deps: [], features: {}, description: 'Says hello', ...metadata }
  return Buffer.concat([withLength(Buffer.from(JSON.stringify(described))), withLength(crate)])
}

/** A `.gem`, with its specification as `gem build` writes it. */
export const gem = (name: string, version: string, rest = ''): Buffer =>
  tar({
    'metadata.gz': gzipSync(`--- !ruby/object:Gem::Specification
name: ${name}
version: !ruby/object:Gem::Version
  version: ${version}
platform: ruby
authors:
- Ada
summary: Says hello
homepage: https://example.com
dependencies:
- !ruby/object:Gem::Dependency
  name: rake
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - ">="
      - !ruby/object:Gem::Version
        version: '12'
    - - "<"
      - !ruby/object:Gem::Version
        version: '14'
  type: :runtime
  prerelease: false
- !ruby/object:Gem::Dependency
  name: minitest
  requirement: !ruby/object:Gem::Requirement
    requirements:
    - - "~>"
      - !ruby/object:Gem::Version
        version: '5.0'
  type: :development
required_ruby_version: !ruby/object:Gem::Requirement
  requirements:
  - - ">="
    - !ruby/object:Gem::Version
      version: '2.7'
${rest}
`),
    'data.tar.gz': gzipSync(tar({})),
  })

export const nuspec = (id: string, version: string, rest = ''): string =>
  `<?xml version="1.0"?><package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
<metadata><id>${id}</id><version>${version}</version><authors>Ada</authors>
<description>Says hello</description><tags>a b</tags>${rest}</metadata></package>`

export const nupkg = (id: string, version: string, rest = ''): Promise<Buffer> =>
  zip({ [`${id}.nuspec`]: nuspec(id, version, rest), 'lib/a.txt': rest })
