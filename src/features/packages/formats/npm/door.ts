/**
 * npm: the registry at `/packages/<workspace>/npm/`, for npm, pnpm, yarn and bun
 * (https://github.com/npm/registry/tree/main/docs).
 */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import {
  documentAnswer,
  documentResponse,
  downloadResponse,
  jsonResponse,
} from '../../door/door-response.ts'
import { deletePackage } from '../../delete-package.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { markPackageVersion } from '../../mark-package-version.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { removePackageTag } from '../../remove-package-tag.ts'
import { setPackageTag } from '../../set-package-tag.ts'
import { handleAccount } from './account.ts'
import { parseDistTag } from './names.ts'
import { putPackage } from './publish.ts'
import { search } from './search.ts'

const SLIM_TYPE = 'application/vnd.npm.install-v1+json'

const MAX_TAG_BYTES = 1024

const noAddress = ({ method, rest }: DoorRequest): Refusal =>
  new Refusal('not_found', `${method} ${rest.slice(0, 200)} is not an address of this registry`)

/** `dist-tags` of a package: read, set, remove. */
async function handleTags(door: DoorRequest, name: string, tag: string | null): Promise<Response> {
  const { method } = door
  if (tag === null) {
    if (method !== 'GET') throw noAddress(door)
    return documentResponse(door, await door.call(readPackageDocument, name, { kind: 'dist-tags' }))
  }
  if (method === 'PUT' || method === 'POST') {
    door.authorize(setPackageTag, name)
    const version = await door.json(MAX_TAG_BYTES)
    if (typeof version !== 'string')
      throw new Refusal('bad_request', 'the body is the version as a JSON text')
    await door.call(setPackageTag, name, { tag: parseDistTag(tag), version })
    return jsonResponse({ ok: true }, 201)
  }
  if (method !== 'DELETE') throw noAddress(door)
  if (tag === 'latest')
    throw new Refusal('forbidden', 'the tag latest stays: let it name another version')
  await door.call(removePackageTag, name, { tag })
  return jsonResponse({ ok: true })
}

async function readPackage(door: DoorRequest, name: string): Promise<Response> {
  const isSlim = door.headers.get('accept')?.includes(SLIM_TYPE) ?? false
  const document = await door.call(readPackageDocument, name, { kind: isSlim ? 'slim' : 'full' })
  return door.keep(documentAnswer(document))
}

/** `<name>/-/<file>` and `<name>/-/<file>/-rev/<rev>`. */
async function handleFile(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  parts: readonly string[],
): Promise<Response> {
  const rev = parts.indexOf('-rev')
  if (door.method === 'DELETE' && rev > 0) {
    // npm has deleted the version by then; this is its second request.
    door.authorize(markPackageVersion, name)
    return jsonResponse({ ok: true })
  }
  const path = parts.at(-1) ?? ''
  if (door.method !== 'GET' || path === '') throw noAddress(door)
  return downloadResponse(hearth, door, await door.call(openPackageFile, name, { path }))
}

async function handlePackage(
  hearth: Hearth,
  door: DoorRequest,
  name: string,
  parts: readonly string[],
): Promise<Response> {
  const { method } = door
  const [first = ''] = parts
  if (first === '-') return handleFile(hearth, door, name, parts.slice(1))
  if (first === '-rev') {
    if (method === 'PUT') return putPackage(hearth, door, name)
    if (method !== 'DELETE') throw noAddress(door)
    await door.call(deletePackage, name, { confirm: name })
    return jsonResponse({ ok: true })
  }
  if (first === '') {
    if (method === 'GET') return readPackage(door, name)
    if (method === 'PUT') return putPackage(hearth, door, name)
  } else if (parts.length === 1 && method === 'GET') {
    const document = await door.call(readPackageDocument, name, { kind: `version ${first}` })
    return documentResponse(door, document)
  }
  throw noAddress(door)
}

/** The name at the beginning of a path, which has a slash after a scope. */
function splitName(parts: readonly string[]): [name: string, rest: string[]] {
  const length = parts[0]?.startsWith('@') ? 2 : 1
  return [parts.slice(0, length).join('/'), parts.slice(length)]
}

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const parts = door.path.split('/')
  if (parts[0] !== '-') {
    const [name, rest] = splitName(parts)
    if (name === '') throw noAddress(door)
    return handlePackage(hearth, door, name, rest)
  }
  const account = handleAccount(hearth, door)
  if (account !== null) return account
  if (door.rest === '-/v1/search' && door.method === 'GET') return search(hearth, door)
  if (parts[1] === 'package') {
    const [name, rest] = splitName(parts.slice(2))
    if (rest[0] === 'dist-tags') return handleTags(door, name, rest.slice(1).join('/') || null)
  }
  throw noAddress(door)
}

export const npmDoor: FormatDoor = {
  type: 'npm',
  handle,
  renderRefusal: (refusal) => jsonResponse({ error: refusal.message }, refusal.status),
  challenge: () => 'Bearer realm="Hearth", Basic realm="Hearth"',
}
