/** Fetches the files of an image into a folder, each with the digest that its manifest names. */
import { createHash } from 'node:crypto'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { limitBytes } from '#lib/archives/gunzip-file.ts'
import { isDigest } from '#lib/container-image.ts'
import { bytesFree } from '#lib/disk.ts'
import { sha256 } from '#lib/hash.ts'
import { arrayOf, objectOf, textOf } from '#lib/json-value.ts'
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { DISK_RESERVE_BYTES } from '../watch-limits.ts'
import type { Repository } from './registry.ts'

/** What an image takes at most, packed and unpacked. */
const MAX_IMAGE_BYTES = 32 * 1024 ** 3
const MAX_CONFIG_BYTES = 8 * 1024 ** 2
/** Docker mounts no more. */
const MAX_LAYERS = 127
/** Free space is looked at after so many bytes. */
const CHECK_BYTES = 16 * 1024 ** 2

type Blob = { readonly digest: string; readonly size: number }

type Manifest = { readonly config: Blob; readonly layers: readonly Blob[] }

/** A file below the folder. */
export type ImageFile = { readonly path: string; readonly size: number }

export type ImageFiles = {
  readonly config: ImageFile
  /** Tar archives, not packed. */
  readonly layers: readonly ImageFile[]
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** A digest of a manifest, with the manifest if it is known by now. */
export type FoundManifest = { readonly digest: string; readonly document: unknown }

function parse(bytes: Uint8Array): unknown {
  const document = parseJsonOrNone(bytes)
  if (document === undefined) throw new Error('its manifest cannot be read')
  return document
}

/** The manifest of a tag or a digest, which may be a list of those for other machines. */
export async function findManifest(
  repository: Repository,
  reference: string,
): Promise<FoundManifest> {
  const bytes = await repository.manifest(reference)
  const digest = `sha256:${sha256(bytes)}`
  if (isDigest(reference) && reference !== digest)
    throw new Error('its manifest has another digest')
  return { digest, document: parse(bytes) }
}

/** The manifest for this machine. */
async function ofThisMachine(
  repository: Repository,
  document: unknown,
  architecture = ARCHITECTURES[process.arch],
): Promise<Manifest> {
  const { manifests } = objectOf(document)
  if (manifests === undefined) return parseManifest(document)
  const digest = arrayOf(manifests)
    .map(objectOf)
    .filter(({ platform }) => {
      const { os, architecture: own } = objectOf(platform)
      return os === 'linux' && own === architecture
    })
    .map(({ digest }) => textOf(digest))[0]
  if (digest === undefined || digest === null || !isDigest(digest))
    throw new Error(`it has none for Linux on ${architecture}`)
  return parseManifest((await findManifest(repository, digest)).document)
}

function parseBlob(value: unknown): Blob {
  const { digest, size } = objectOf(value)
  const hash = textOf(digest) ?? ''
  if (
    !isDigest(hash) ||
    !hash.startsWith('sha256:') ||
    !Number.isSafeInteger(size) ||
    Number(size) < 0
  )
    throw new Error('its manifest cannot be read')
  return { digest: hash, size: Number(size) }
}

function parseManifest(document: unknown): Manifest {
  const { config, layers } = objectOf(document)
  const manifest = { config: parseBlob(config), layers: arrayOf(layers).map(parseBlob) }
  if (manifest.layers.length > MAX_LAYERS) throw new Error(`it has more than ${MAX_LAYERS} layers`)
  if (manifest.config.size > MAX_CONFIG_BYTES) throw new Error('its configuration is too large')
  return manifest
}

export async function fetchFiles(
  repository: Repository,
  document: unknown,
  folder: string,
): Promise<ImageFiles> {
  const manifest = await ofThisMachine(repository, document)
  const config = await fetchBlob(repository, manifest.config, {
    path: join(folder, 'config'),
    maxBytes: MAX_CONFIG_BYTES,
    folder,
    isPacked: false,
  })
  const layers: ImageFile[] = []
  let rest = MAX_IMAGE_BYTES
  for (const [at, layer] of manifest.layers.entries()) {
    const path = join(folder, `layer-${at}`)
    const file = await fetchBlob(repository, layer, {
      path,
      maxBytes: rest,
      folder,
      isPacked: true,
    })
    layers.push(file)
    rest -= file.size
  }
  return { config, layers }
}

type Fetching = {
  readonly path: string
  /** Of the file, which is not packed. */
  readonly maxBytes: number
  readonly folder: string
  readonly isPacked: boolean
}

/** The program that unpacks what begins with these bytes; null for what is not packed. */
function unpackerOf(beginning: Uint8Array) {
  const magic = Buffer.from(beginning.subarray(0, 4)).toString('hex')
  if (magic.startsWith('1f8b')) return createGunzip()
  return magic === '28b52ffd' ? createZstdDecompress() : null
}

async function fetchBlob(
  repository: Repository,
  { digest, size }: Blob,
  { path, maxBytes, folder, isPacked }: Fetching,
): Promise<ImageFile> {
  if (size > MAX_IMAGE_BYTES) throw new Error('it is too large')
  const hash = createHash('sha256')
  const reader = (await repository.blob(digest, size)).getReader()
  const first = await beginningOf(reader)
  async function* received(): AsyncGenerator<Uint8Array> {
    for (let part: Uint8Array | undefined = first; part !== undefined; ) {
      hash.update(part)
      yield part
      part = (await reader.read()).value
    }
  }
  const unpacker = isPacked ? unpackerOf(first) : null
  const bounded = (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> =>
    requireRoom(limitBytes(source, maxBytes), folder)
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  try {
    if (unpacker === null) await pipeline(Readable.from(received()), bounded, target)
    else await pipeline(Readable.from(received()), unpacker, bounded, target)
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (`sha256:${hash.digest('hex')}` !== digest) throw new Error('a part of it has another digest')
  return { path, size: statSync(path).size }
}

/** At least four bytes, where there are as many. */
async function beginningOf(reader: {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}): Promise<Uint8Array> {
  let bytes = new Uint8Array(0)
  while (bytes.length < 4) {
    const { value } = await reader.read()
    if (value === undefined) break
    bytes = Buffer.concat([bytes, value])
  }
  return bytes
}

/** Passes a stream on while the disk has room for others. */
async function* requireRoom(
  source: AsyncIterable<Uint8Array>,
  folder: string,
): AsyncGenerator<Uint8Array> {
  let unchecked = CHECK_BYTES
  for await (const part of source) {
    unchecked += part.length
    if (unchecked >= CHECK_BYTES) {
      if (bytesFree(folder) < DISK_RESERVE_BYTES)
        throw new Error('the disk of the server is nearly full')
      unchecked = 0
    }
    yield part
  }
}
