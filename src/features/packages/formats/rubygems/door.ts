/**
 * RubyGems: the registry at `/packages/<workspace>/rubygems/`, with the compact index of bundler and
 * the older one that gem 3.3 installs by (https://guides.rubygems.org/rubygems-org-compact-index-api).
 */
import { deflateSync } from 'node:zlib'
import type { Hearth } from '#core/hearth.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { downloadResponse, jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { getPackage } from '../../get-package.ts'
import { getPackageVersion } from '../../get-package-version.ts'
import { listPackages } from '../../list-packages.ts'
import { markPackageVersion } from '../../mark-package-version.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import type { FileRow } from '../../store-versions.ts'
import { documentReader } from '../document-reader.ts'
import { textOf } from '../json.ts'
import { addOwner, listOwners, removeOwner } from '../owners.ts'
import {
  noAddress,
  numberIn,
  requirePublisher,
  requireToken,
  storeUpload,
  textResponse,
  uploadPath,
} from '../upload.ts'
import { namesFile, specsFile, versionsFile, type SpecsKind } from './gem-index.ts'
import { indexResponse, namesIn, visibleGems } from './index-response.ts'
import { marshalSpecification } from './marshal.ts'
import { gemNumber, infoLine, readGem, type GemSpecification } from './read-gem.ts'
import { TEXT } from './format.ts'

const MAX_FORM_BYTES = 16 * 1024

/** Throws 404 when no gem has a file of this full name. */
async function findGem(
  door: DoorRequest,
  fullName: string,
): Promise<{ name: string; file: FileRow }> {
  let missing = new Refusal('not_found', `there is no gem ${fullName.slice(0, 200)}`)
  for (const name of namesIn(fullName)) {
    try {
      const path = `${fullName}.gem`
      return { name, file: await door.call(openPackageFile, name, { path }) }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_found') throw error
      missing = error
    }
  }
  throw missing
}

/** A specification in the form of the older index. */
async function readSpecification(door: DoorRequest, fullName: string): Promise<Response> {
  const { name, file } = await findGem(door, fullName)
  const number = fullName.slice(name.length + 1)
  const { metadata } = await door.call(getPackageVersion, name, { version: number })
  // `push` stored the specification as it is.
  const gem = metadata as unknown as GemSpecification
  const bytes = deflateSync(marshalSpecification(gem, file.created_at.slice(0, 10)))
  return indexResponse(door, bytes, 'application/octet-stream')
}

async function push(hearth: Hearth, door: DoorRequest): Promise<Response> {
  requirePublisher(hearth, door)
  const maxBytes = hearth.settings.packages.max_file_bytes
  const blob = await storeUpload(hearth, door, door.stream(maxBytes), { ownsPieces: true })
  const path = await uploadPath(hearth, blob)
  const gem = await readGem(documentReader(hearth), path, blob.size)
  const number = gemNumber(gem)
  const { outcome } = await door.call(publishPackageVersion, gem.name, {
    publication: {
      version: number,
      digest: `sha256:${blob.sha256}`,
      metadata: gem,
      piece: infoLine(gem, blob.sha256),
      files: [
        {
          path: `${gem.name}-${number}.gem`,
          sha256: blob.sha256,
          size: blob.size,
          digests: blob.digests,
          content_type: 'application/octet-stream',
        },
      ],
      description: textOf(gem.summary),
    },
  })
  const text = outcome === 'unchanged' ? 'This gem is here already' : 'Successfully registered gem'
  return textResponse(`${text}: ${gem.name} (${number})\n`)
}

async function yank(door: DoorRequest): Promise<Response> {
  requireToken(door)
  const form = new URLSearchParams(
    new TextDecoder().decode(await door.bytes(MAX_FORM_BYTES)) || door.query.toString(),
  )
  const name = form.get('gem_name') ?? ''
  const version = form.get('version') ?? ''
  const platform = form.get('platform') ?? 'ruby'
  if (name === '' || version === '')
    throw invalid('gem_name', 'say which gem and version to yank: gem yank NAME --version NUMBER')
  const number = platform === '' || platform === 'ruby' ? version : `${version}-${platform}`
  await door.call(markPackageVersion, name, { version: number, yanked: true })
  return textResponse(`Successfully yanked gem: ${name} (${number})\n`)
}

async function describeGem(door: DoorRequest, name: string): Promise<Response> {
  const found = await door.call(getPackage, name, {})
  return jsonResponse({
    name: found.name,
    version: found.latest,
    downloads: found.download_count,
    info: found.description ?? '',
    project_uri: found.html_url,
  })
}

async function search(door: DoorRequest): Promise<Response> {
  const { items } = await door.callOther(listPackages, {
    workspace: door.workspace,
    package_type: 'rubygems',
    q: (door.query.get('query') ?? '').slice(0, 200),
    page: Math.max(1, numberIn(door.query.get('page'), 1, 1000)),
    per_page: 30,
  })
  return jsonResponse(
    items.map(({ name, latest, description }) => ({ name, version: latest, info: description })),
  )
}

/** `gem owner`, which sends the name of a person in the field for an address. */
async function handleOwners(door: DoorRequest, name: string, isYaml: boolean): Promise<Response> {
  const { method } = door
  if (method === 'GET') {
    const owners = (await listOwners(door, name)).map((handle, at) => ({ id: at + 1, handle }))
    if (!isYaml) return jsonResponse(owners)
    // Texts in JSON are texts in YAML.
    const lines = owners.map(
      ({ id, handle }) => `- id: ${id}\n  handle: ${JSON.stringify(handle)}\n`,
    )
    return textResponse(`---\n${lines.join('')}`, 200, { 'content-type': 'application/yaml' })
  }
  if (method !== 'POST' && method !== 'DELETE') throw noAddress(door)
  const form = new URLSearchParams(
    new TextDecoder().decode(await door.bytes(MAX_FORM_BYTES)) || door.query.toString(),
  )
  const owner = form.get('email') ?? ''
  if (owner === '') throw invalid('email', 'say whom: gem owner NAME --add USERNAME')
  await (method === 'POST' ? addOwner(door, name, owner) : removeOwner(door, name, owner))
  return textResponse(`Owner ${method === 'POST' ? 'added' : 'removed'} successfully.\n`)
}

async function handleApi(hearth: Hearth, door: DoorRequest, path: string): Promise<Response> {
  const { method } = door
  if (path === 'gems' && method === 'POST') return push(hearth, door)
  if (path === 'gems/yank' && method === 'DELETE') return yank(door)
  if (path === 'api_key' && method === 'GET') {
    requireToken(door)
    return textResponse(door.secret ?? '')
  }
  if (path === 'search.json' && method === 'GET') return search(door)
  const owners = /^gems\/([^/]+)\/owners(?:\.(yaml|json))?$/.exec(path)
  if (owners) return handleOwners(door, owners[1] ?? '', owners[2] === 'yaml')
  const name = /^gems\/([^/]+)\.json$/.exec(path)?.[1]
  if (name === undefined || method !== 'GET') throw noAddress(door)
  return describeGem(door, name)
}

const SPECS = /^(specs|latest_specs|prerelease_specs)\.4\.8\.gz$/

const QUICK = /^quick\/Marshal\.4\.8\/([^/]+)\.gemspec\.rz$/

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const { path, method } = door
  if (path.startsWith('api/v1/')) return handleApi(hearth, door, path.slice('api/v1/'.length))
  if (method !== 'GET') throw noAddress(door)
  if (path === '') {
    // The gem command asks whether this answers, and then reads `info` in place of the older index.
    await visibleGems(door)
    return textResponse(`Gems of ${door.workspace}\n`)
  }
  if (path === 'versions')
    return indexResponse(door, await versionsFile(hearth, await visibleGems(door)), TEXT)
  if (path === 'names') return indexResponse(door, namesFile(await visibleGems(door)), TEXT)
  if (path.startsWith('info/')) {
    const name = path.slice('info/'.length)
    const { body } = await door.call(readPackageDocument, name, { kind: 'info' })
    return indexResponse(door, body, TEXT)
  }
  const kind = SPECS.exec(path)?.[1] as SpecsKind | undefined
  if (kind !== undefined) {
    const body = await specsFile(hearth, await visibleGems(door), kind)
    return indexResponse(door, body, 'application/gzip')
  }
  const quick = QUICK.exec(path)?.[1]
  if (quick !== undefined) return readSpecification(door, quick)
  const gem = /^gems\/([^/]+)\.gem$/.exec(path)?.[1]
  if (gem === undefined) throw noAddress(door)
  return downloadResponse(hearth, door, (await findGem(door, gem)).file)
}

export const rubygemsDoor: FormatDoor = {
  type: 'rubygems',
  handle,
  renderRefusal: ({ message, status }) => textResponse(`${message}\n`, status),
  challenge: () => 'Basic realm="Hearth"',
}
