/** Cargo: the sparse registry at `/packages/<workspace>/cargo/` (RFC 2789). */
import type { Hearth } from '#core/hearth.ts'
import { invalid } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { documentAnswer, downloadResponse, jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { listPackages } from '../../list-packages.ts'
import { markPackageVersion } from '../../mark-package-version.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { asksStrangers } from '../../upstreams/asks-strangers.ts'
import { documentReader } from '../document-reader.ts'
import { isObject } from '#lib/json-value.ts'
import { textOf, textsOf } from '../json.ts'
import { addOwner, listOwners, MAX_OWNERS, removeOwner } from '../owners.ts'
import {
  noAddress,
  numberIn,
  requireToken,
  storeBytes,
  storeUpload,
  uploadPath,
} from '../upload.ts'
import { indexLine, indexPath, parseCrateMetadata } from './crate-metadata.ts'
import { readCrateUpload, requireSameCrate } from './read-crate.ts'
import { addressOf } from './format.ts'

/** Cargo cannot be asked crate by crate: with a private one, the whole index needs a token. */
function readConfig(hearth: Hearth, door: DoorRequest): Response {
  const facts = hearth.facts.workspace(door.workspace, door.caller)
  const isPrivate = facts !== null && asksStrangers(hearth.db, facts.id, 'cargo')
  if (isPrivate) requireToken(door)
  const api = addressOf(hearth.settings.site_url, door.workspace)
  return jsonResponse({
    dl: `${api}/api/v1/crates`,
    api,
    ...(isPrivate && { 'auth-required': true }),
  })
}

async function publish(hearth: Hearth, door: DoorRequest): Promise<Response> {
  requireToken(door)
  const maxBytes = hearth.settings.packages.max_file_bytes + 2 * 1024 ** 2
  const upload = await readCrateUpload(door.stream(maxBytes))
  const metadata = parseCrateMetadata(upload.metadata)
  door.authorize(publishPackageVersion, metadata.name)
  const blob = await storeUpload(hearth, door, upload.crate, { length: upload.size })
  const path = await uploadPath(hearth, blob)
  await requireSameCrate(documentReader(hearth), path, blob.size, metadata)
  const { readme, ...described } = metadata
  const text = textOf(readme)
  const kept = text === null ? null : await storeBytes(hearth, Buffer.from(text))
  await door.call(publishPackageVersion, metadata.name, {
    publication: {
      version: metadata.vers,
      digest: `sha256:${blob.sha256}`,
      metadata: described,
      piece: JSON.stringify(indexLine(metadata, blob.sha256)),
      files: [
        {
          path: `${metadata.name}-${metadata.vers}.crate`,
          sha256: blob.sha256,
          size: blob.size,
          digests: blob.digests,
          content_type: 'application/gzip',
        },
      ],
      description: textOf(metadata.description),
      readme_sha256: kept?.sha256 ?? null,
    },
  })
  const nothing: string[] = []
  return jsonResponse({
    warnings: { invalid_categories: nothing, invalid_badges: nothing, other: nothing },
  })
}

async function search(door: DoorRequest): Promise<Response> {
  const { items, total = 0 } = await door.callOther(listPackages, {
    workspace: door.workspace,
    package_type: 'cargo',
    q: (door.query.get('q') ?? '').slice(0, 200),
    page: Math.max(1, numberIn(door.query.get('page'), 1, 1000)),
    per_page: Math.max(1, numberIn(door.query.get('per_page'), 10, 100)),
  })
  const crates = items.map(({ name, latest, description }) => ({
    name,
    max_version: latest ?? '0.0.0',
    description: description ?? '',
  }))
  return jsonResponse({ crates, meta: { total } })
}

/** `api/v1/crates/<crate>/<version>/<action>`. */
async function handleVersion(
  hearth: Hearth,
  door: DoorRequest,
  [name = '', version = '', action = '']: readonly string[],
): Promise<Response> {
  const { method } = door
  if (method === 'GET' && action === 'download') {
    const path = `${name}-${version}.crate`
    return downloadResponse(hearth, door, await door.call(openPackageFile, name, { path }))
  }
  const isYank = method === 'DELETE' && action === 'yank'
  if (!isYank && !(method === 'PUT' && action === 'unyank')) throw noAddress(door)
  await door.call(markPackageVersion, name, { version, yanked: isYank })
  return jsonResponse({ ok: true })
}

const MAX_OWNERS_BYTES = 64 * 1024

/** `cargo owner`. The ids that cargo wants are numbers, and mean nothing. */
async function handleOwners(door: DoorRequest, name: string): Promise<Response> {
  const { method } = door
  if (method === 'GET') {
    const owners = await listOwners(door, name)
    const users = owners.map((login, at) => ({ id: at + 1, login, name: null }))
    return jsonResponse({ users })
  }
  if (method !== 'PUT' && method !== 'DELETE') throw noAddress(door)
  const body = await door.json(MAX_OWNERS_BYTES)
  const names = textsOf(isObject(body) ? (body.users ?? body.owners) : null).slice(0, MAX_OWNERS)
  if (names.length === 0) throw invalid('users', 'say whom: cargo owner --add NAME')
  for (const owner of names)
    await (method === 'PUT' ? addOwner(door, name, owner) : removeOwner(door, name, owner))
  const done = method === 'PUT' ? 'owners now' : 'no owners any more'
  return jsonResponse({ ok: true, msg: `${names.join(', ')}: ${done}` })
}

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const { method, path } = door
  const parts = path.split('/')
  if (path === 'config.json' && method === 'GET') return readConfig(hearth, door)
  if (path === 'api/v1/crates/new' && method === 'PUT') return publish(hearth, door)
  if (path === 'api/v1/crates' && method === 'GET') return search(door)
  if (path === 'me' && method === 'GET')
    return Response.redirect(`${hearth.settings.site_url}/settings/tokens`, 303)
  if (path.startsWith('api/v1/crates/') && parts.length === 6)
    return handleVersion(hearth, door, parts.slice(3))
  if (path.startsWith('api/v1/crates/') && parts.length === 5 && parts[4] === 'owners')
    return handleOwners(door, parts[3] ?? '')
  const name = parts.at(-1) ?? ''
  if (method !== 'GET' || name === '' || path !== indexPath(name)) throw noAddress(door)
  const document = await door.call(readPackageDocument, name, { kind: 'index' })
  return door.keep(documentAnswer(document))
}

export const cargoDoor: FormatDoor = {
  type: 'cargo',
  handle,
  renderRefusal: ({ message, status }) => jsonResponse({ errors: [{ detail: message }] }, status),
  challenge: (site_url) => `Cargo login_url="${site_url}/settings/tokens"`,
}
