/** Maven: a repository in the Maven 2 layout at `/packages/<workspace>/maven/`. */
import { blobPath } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { Refusal } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import type { PackageDocument } from '../../documents.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { documentResponse, downloadResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { readPackageIndex } from '../../read-package-index.ts'
import type { FileRow } from '../../store-versions.ts'
import { documentReader, MAX_DOCUMENT_BYTES } from '../document-reader.ts'
import { textOf } from '../json.ts'
import { noAddress, storeUpload, textResponse, uploadPath } from '../upload.ts'
import { renderGroupMetadata } from './metadata.ts'
import { isSnapshot, parseMavenPath, type MavenPath, type Sum } from './paths.ts'
import { readPom } from './read-pom.ts'

type MavenFile = Extract<MavenPath, { kind: 'file' }>

const MAX_SUM_BYTES = 1024

const MAX_METADATA_BYTES = 4 * 1024 ** 2

const hashOf = (algorithm: Sum, bytes: Uint8Array): string =>
  new Bun.CryptoHasher(algorithm).update(bytes).digest('hex')

async function sumOfFile(hearth: Hearth, file: FileRow, algorithm: Sum): Promise<string> {
  const known = algorithm === 'sha256' ? file.sha256 : file[algorithm]
  if (known !== null) return known
  const hasher = new Bun.CryptoHasher(algorithm)
  for await (const part of Bun.file(blobPath(hearth, file.sha256)).stream()) hasher.update(part)
  return hasher.digest('hex')
}

const fileOf = (door: DoorRequest, path: MavenFile): Promise<FileRow> =>
  door.call(openPackageFile, path.name, { path: `${path.version}/${path.file}` })

/** What Maven 3.9 reads in place of the sums beside a file. */
const sumHeaders = (sha1: string | null, md5: string | null): Record<string, string> => ({
  ...(sha1 !== null && { 'x-checksum-sha1': sha1 }),
  ...(md5 !== null && { 'x-checksum-md5': md5 }),
})

async function readFile(hearth: Hearth, door: DoorRequest, path: MavenFile): Promise<Response> {
  const file = await fileOf(door, path)
  if (path.sum !== null) return textResponse(await sumOfFile(hearth, file, path.sum))
  return downloadResponse(hearth, door, file, {
    counts: !path.file.endsWith('.pom'),
    headers: {
      'last-modified': new Date(file.created_at).toUTCString(),
      ...sumHeaders(file.sha1, file.md5),
    },
  })
}

/**
 * The metadata that a client read last. Its sum is a second request, and another deploy may lie
 * between both; the sum is then that of what the client has.
 */
const lastRead = cache<{ readonly document: PackageDocument; readonly untilMs: number }>(
  'maven-metadata',
  { maxSize: 8 * 1024 ** 2, sizeOf: ({ document }) => document.body.length + 500 },
)

async function readMetadata(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  { kind, sum }: { readonly kind: string; readonly sum: Sum | null },
): Promise<Response> {
  const current = await door.call(readPackageDocument, name, { kind })
  const reader = `${door.secret ?? ''} ${door.headers.get('user-agent') ?? ''}`
  const key = `${door.workspace} ${name} ${kind} ${hashOf('sha256', Buffer.from(reader))}`
  const nowMs = hearth.clock.now()
  if (sum === null) {
    lastRead(hearth).set(key, { document: current, untilMs: nowMs + MINUTE })
    const { body } = current
    return documentResponse(door, current, sumHeaders(hashOf('sha1', body), hashOf('md5', body)))
  }
  const last = lastRead(hearth).get(key)
  const { body } = last && last.untilMs > nowMs ? last.document : current
  return textResponse(hashOf(sum, body))
}

/** The plugins of a group, for `mvn <prefix>:<goal>`. Throws 404 for a group without one. */
async function readGroupMetadata(
  hearth: Hearth,
  door: DoorRequest,
  group: string,
  sum: Sum | null,
): Promise<Response> {
  const rows = await door.callOther(readPackageIndex, {
    workspace: door.workspace,
    package_type: 'maven',
    prefix: `${group}:`,
  })
  const text = renderGroupMetadata(hearth, rows)
  if (text === null) throw noAddress(door)
  if (sum !== null) return textResponse(hashOf(sum, Buffer.from(text)))
  return textResponse(text, 200, { 'content-type': 'application/xml' })
}

/** The last part of the path is an artifact, or else of the name of a group. */
async function readMetadataAt(
  hearth: Hearth,
  door: DoorRequest,
  { name, group, sum }: Extract<MavenPath, { kind: 'metadata' }>,
): Promise<Response> {
  if (name !== null) {
    try {
      return await readMetadata(hearth, door, name, { kind: 'metadata', sum })
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error
    }
  }
  return readGroupMetadata(hearth, door, group, sum)
}

function read(hearth: Hearth, door: DoorRequest, path: MavenPath): Promise<Response> {
  if (path.kind === 'file') return readFile(hearth, door, path)
  if (path.kind === 'metadata') return readMetadataAt(hearth, door, path)
  const { name, sum } = path
  return readMetadata(hearth, door, name, { kind: `snapshot ${path.version}`, sum })
}

/** A sum that a client sends is held against ours. Throws 400 when they differ. */
async function putSum(
  hearth: Hearth,
  door: DoorRequest,
  path: MavenFile,
  algorithm: Sum,
): Promise<Response> {
  const sent = Buffer.from(await door.bytes(MAX_SUM_BYTES))
    .toString('latin1')
    .trim()
  const file = await fileOf(door, path)
  const own = await sumOfFile(hearth, file, algorithm)
  if (sent.split(/\s/)[0]?.toLowerCase() !== own)
    throw new Refusal('bad_request', `${path.file} has another ${algorithm} here: send it again`)
  return textResponse('', 201)
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jar: 'application/java-archive',
  war: 'application/java-archive',
  pom: 'application/xml',
  xml: 'application/xml',
  asc: 'application/pgp-signature',
  module: 'application/json',
}

async function putFile(hearth: Hearth, door: DoorRequest, path: MavenFile): Promise<Response> {
  const isPom = path.file.endsWith('.pom')
  const maxBytes = isPom ? MAX_DOCUMENT_BYTES : hearth.settings.packages.max_file_bytes
  const blob = await storeUpload(hearth, door, door.stream(maxBytes), {
    ownsPieces: true,
    digests: ['sha1', 'md5'],
  })
  const pom = isPom
    ? await readPom(
        documentReader(hearth),
        await Bun.file(await uploadPath(hearth, blob)).bytes(),
        path,
      )
    : null
  await door.call(publishPackageVersion, path.name, {
    publication: {
      version: path.version,
      // The content of a snapshot changes with every build.
      digest: isSnapshot(path.version) ? 'snapshot' : `sha256:${blob.sha256}`,
      metadata: pom ?? {},
      files: [
        {
          path: `${path.version}/${path.file}`,
          sha256: blob.sha256,
          size: blob.size,
          digests: blob.digests,
          content_type:
            CONTENT_TYPES[path.file.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        },
      ],
      description: pom === null ? null : (textOf(pom.description) ?? textOf(pom.name)),
      addsFiles: true,
    },
  })
  return textResponse('', 201)
}

async function put(hearth: Hearth, door: DoorRequest, path: MavenPath): Promise<Response> {
  const { name, sum } = path
  if (name === null) throw noAddress(door)
  door.authorize(publishPackageVersion, name)
  if (path.kind === 'file')
    return sum === null ? putFile(hearth, door, path) : putSum(hearth, door, path, sum)
  // The metadata of a client is dropped: ours is made from what is there.
  await door.bytes(MAX_METADATA_BYTES)
  return textResponse('', 201)
}

function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const path = parseMavenPath(door.path)
  if (door.method === 'GET') return read(hearth, door, path)
  if (door.method === 'PUT') return put(hearth, door, path)
  throw noAddress(door)
}

export const mavenDoor: FormatDoor = {
  type: 'maven',
  handle,
  renderRefusal: ({ message, status }) => textResponse(`${message}\n`, status),
  challenge: () => 'Basic realm="Hearth"',
}
