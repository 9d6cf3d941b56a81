/** Files of any kind: `/packages/<workspace>/generic/<name>/<version>/<path>`. */
import type { Hearth } from '#core/hearth.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { deletePackageVersion } from '../../delete-package-version.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { documentResponse, downloadResponse, jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { getPackage } from '../../get-package.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { noAddress, storeUpload, textResponse } from '../upload.ts'
import { parseGenericName } from './format.ts'

const MAX_VERSION_LENGTH = 100

const MAX_PATH_LENGTH = 500

const MAX_DEPTH = 20

const VERSION = /^[A-Za-z0-9][\w.+~-]*$/

/** No control characters, and nothing that a shell or a file system reads in its own way. */
const PART = /^[^\p{Cc}\\/:*?"<>|]+$/u

/** The word in place of a version that names the latest one. Nobody publishes under it. */
const LATEST = 'latest'

function requireVersion(text: string): string {
  if (text !== LATEST && text.length <= MAX_VERSION_LENGTH && VERSION.test(text)) return text
  throw invalid(
    'version',
    `${text.slice(0, 100)} is no version: use at most 100 letters, digits, and . _ + ~ - after the first; latest names the newest one`,
  )
}

function requirePath(parts: readonly string[]): string {
  const path = parts.join('/')
  const isSafe = parts.every((part) => PART.test(part) && !/^\.+$/.test(part))
  if (isSafe && path.length <= MAX_PATH_LENGTH && parts.length <= MAX_DEPTH) return path
  throw invalid('path', `${path.slice(0, 200)} is no path of a file: use names with / between them`)
}

/** The digest that a client sends beside the bytes, or in the address; null for none. */
const announcedDigest = (door: DoorRequest): string | null =>
  (door.headers.get('x-checksum-sha256') ?? door.query.get('sha256'))?.trim().toLowerCase() ?? null

async function put(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  version: string,
  parts: readonly string[],
): Promise<Response> {
  door.authorize(publishPackageVersion, parseGenericName(name))
  const path = requirePath(parts)
  const number = requireVersion(version)
  const maxBytes = hearth.settings.packages.max_file_bytes
  const blob = await storeUpload(hearth, door, door.stream(maxBytes), { ownsPieces: true })
  const announced = announcedDigest(door)
  if (announced !== null && announced !== blob.sha256)
    throw new Refusal('bad_request', `the bytes have the SHA-256 ${blob.sha256}, not ${announced}`)
  const { outcome } = await door.call(publishPackageVersion, name, {
    publication: {
      version: number,
      digest: `sha256:${blob.sha256}`,
      metadata: {},
      files: [
        {
          path: `${number}/${path}`,
          sha256: blob.sha256,
          size: blob.size,
          digests: {},
          content_type: 'application/octet-stream',
        },
      ],
      addsFiles: true,
    },
  })
  const body = { name, version: number, path, sha256: blob.sha256, size_in_bytes: blob.size }
  return jsonResponse(body, outcome === 'unchanged' ? 200 : 201)
}

async function read(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  version: string,
  parts: readonly string[],
): Promise<Response> {
  const latest = version === LATEST ? (await door.call(getPackage, name, {})).latest : version
  const path = `${latest ?? version}/${requirePath(parts)}`
  const file = await door.call(openPackageFile, name, { path })
  return downloadResponse(hearth, door, file, {
    headers: {
      'x-checksum-sha256': file.sha256,
      'last-modified': new Date(file.created_at).toUTCString(),
    },
  })
}

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const [name = '', version = '', ...rest] = door.path.split('/')
  const parts = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  const { method } = door
  if (name === '') throw noAddress(door)
  if (method === 'GET' && version === '')
    return documentResponse(door, await door.call(readPackageDocument, name, { kind: 'versions' }))
  if (method === 'GET' && parts.length > 0) return read(hearth, door, name, version, parts)
  if (method === 'PUT' && parts.length > 0) return put(hearth, door, name, version, parts)
  if (method !== 'DELETE' || version === '' || parts.length > 0) throw noAddress(door)
  await door.call(deletePackageVersion, name, { version })
  return new Response(null, { status: 204 })
}

export const genericDoor: FormatDoor = {
  type: 'generic',
  handle,
  renderRefusal: ({ message, status }) => textResponse(`${message}\n`, status),
  challenge: () => 'Basic realm="Hearth"',
}
