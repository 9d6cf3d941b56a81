/** Reads the body of `cargo publish`: two lengths, metadata and the crate. */
import { ByteReader } from '#lib/archives/byte-reader.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import type { DocumentReader } from '../document-reader.ts'
import { isObject } from '#lib/json-value.ts'
import { findInTar } from '../read-archive.ts'
import type { CrateMetadata } from './crate-metadata.ts'

const MAX_METADATA_BYTES = 1024 ** 2

const broken = (): Refusal =>
  new Refusal('bad_request', 'the body is not as cargo publish sends it')

async function readLength(reader: ByteReader): Promise<number> {
  const bytes = await reader.exactly(4)
  if (bytes === null) throw broken()
  return bytes.readUInt32LE(0)
}

export type CrateUpload = {
  readonly metadata: string
  readonly size: number
  readonly crate: AsyncIterable<Uint8Array>
}

async function* restOf(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (let part = await reader.some(65_536 * 4); part; part = await reader.some(65_536 * 4))
    yield part
}

/** The crate is read while it arrives. Throws 400 for a broken body. */
export async function readCrateUpload(body: AsyncIterable<Uint8Array>): Promise<CrateUpload> {
  const reader = new ByteReader(body)
  try {
    const length = await readLength(reader)
    if (length > MAX_METADATA_BYTES)
      throw new Refusal('too_large', 'the metadata of the crate is larger than 1 MiB')
    const metadata = await reader.exactly(length)
    if (metadata === null) throw broken()
    const size = await readLength(reader)
    return { metadata: metadata.toString('utf8'), size, crate: restOf(reader) }
  } catch (error) {
    throw error instanceof Error && error.name === 'Error' ? broken() : error
  }
}

/** Holds name and version of `Cargo.toml` against the metadata. Throws 422 when they differ. */
export async function requireSameCrate(
  documents: DocumentReader,
  path: string,
  size: number,
  { name, vers }: CrateMetadata,
): Promise<void> {
  const manifest = `${name}-${vers}/Cargo.toml`
  const isChosen = (file: string): boolean => file === manifest
  const found = await findInTar(path, size, { isGzip: true, isChosen })
  if (!found) throw invalid('body', `the crate has no ${manifest}`)
  const value = await documents.read('toml', found.bytes.toString('utf8'), 'Cargo.toml')
  const described = isObject(value) && isObject(value.package) ? value.package : {}
  if (described.name !== name || described.version !== vers)
    throw invalid('body', `Cargo.toml in the crate describes another version than ${name} ${vers}`)
}
