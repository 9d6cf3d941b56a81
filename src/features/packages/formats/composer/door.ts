/**
 * Composer: the repository at `/packages/<workspace>/composer/packages.json`
 * (https://getcomposer.org/doc/05-repositories.md#composer).
 */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { normalComposerVersion } from '#lib/versions/composer.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { documentAnswer, fileResponse, jsonResponse } from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { listPackages } from '../../list-packages.ts'
import { openPackageFile } from '../../open-package-file.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { readPackageIndex } from '../../read-package-index.ts'
import { isObject } from '#lib/json-value.ts'
import { textOf } from '../json.ts'
import { noAddress, numberIn, requirePublisher, storeUpload, uploadPath } from '../upload.ts'
import { auditComposer } from './audit.ts'
import { parseComposerName, readComposerZip } from './read-composer.ts'
import { rootDocument } from './format.ts'

const visibleNames = async (door: DoorRequest): Promise<string[]> => {
  const rows = await door.callOther(readPackageIndex, {
    workspace: door.workspace,
    package_type: 'composer',
  })
  return rows.map(({ name }) => name).sort()
}

async function readRoot({ settings }: Hearth, door: DoorRequest): Promise<Response> {
  const names = await visibleNames(door)
  return jsonResponse(rootDocument(settings.site_url, door.workspace, names))
}

async function search(door: DoorRequest): Promise<Response> {
  const { items, total = 0 } = await door.callOther(listPackages, {
    workspace: door.workspace,
    package_type: 'composer',
    q: (door.query.get('q') ?? '').slice(0, 200),
    page: Math.max(1, numberIn(door.query.get('page'), 1, 1000)),
    per_page: Math.max(1, numberIn(door.query.get('per_page'), 15, 100)),
  })
  const results = items.map(({ name, description, html_url, download_count }) => ({
    name,
    description: description ?? '',
    url: html_url,
    downloads: download_count,
  }))
  return jsonResponse({ results, total })
}

const ZIP_NAME = /^(?:([^/]+\/[^/]+)|[^/]+)\.zip$/

/** The name that the address gives, which has to be that of the file; null for none. */
function nameInAddress({ path }: DoorRequest): string | null {
  if (path === '') return null
  const match = ZIP_NAME.exec(path)
  if (!match) throw new Refusal('not_found', 'a package is sent to /composer/ as a zip')
  return match[1]?.toLowerCase() ?? null
}

async function put(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const named = nameInAddress(door)
  if (named === null) requirePublisher(hearth, door)
  else door.authorize(publishPackageVersion, parseComposerName(named))
  const maxBytes = hearth.settings.packages.max_file_bytes
  const blob = await storeUpload(hearth, door, door.stream(maxBytes), {
    ownsPieces: true,
    digests: ['sha1'],
  })
  const given = { name: named, version: door.query.get('version') }
  const found = await readComposerZip(await uploadPath(hearth, blob), blob.size, given)
  const { sha1 = '' } = blob.digests
  // The file is what clients install; a source of its own could lead them elsewhere.
  const { source: _, dist: _dist, ...manifest } = found.manifest
  const { outcome } = await door.call(publishPackageVersion, found.name, {
    publication: {
      version: found.version,
      digest: `sha256:${blob.sha256}`,
      metadata: found.manifest,
      piece: JSON.stringify({
        ...manifest,
        name: found.name,
        version: found.version,
        version_normalized: found.normal,
        dist: { type: 'zip', url: '', reference: sha1, shasum: sha1 },
      }),
      files: [
        {
          path: `${encodeURIComponent(found.normal)}.zip`,
          sha256: blob.sha256,
          size: blob.size,
          digests: blob.digests,
          content_type: 'application/zip',
        },
      ],
      description: textOf(found.manifest.description),
    },
  })
  const { name, version } = found
  return jsonResponse({ name, version }, outcome === 'created' ? 201 : 200)
}

async function readFiles(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const [, vendor = '', name = '', file = ''] = door.path.split('/')
  // Composer tells what it installed afterwards; a browser does not.
  const isComposer = /^Composer\//.test(door.headers.get('user-agent') ?? '')
  const counts = door.isFromStart && !isComposer
  const found = await door.call(openPackageFile, `${vendor}/${name}`, { path: file, counts })
  return fileResponse(hearth, door, found)
}

const MAX_DOWNLOADS = 1_000

const MAX_DOWNLOADS_BYTES = 256 * 1024

/** Counts what a client installed. What it may not read is passed over. */
async function countDownloads(door: DoorRequest): Promise<Response> {
  const body = await door.json(MAX_DOWNLOADS_BYTES)
  const downloads = isObject(body) && Array.isArray(body.downloads) ? body.downloads : []
  for (const download of downloads.slice(0, MAX_DOWNLOADS) as unknown[]) {
    if (!isObject(download)) continue
    const normal = normalComposerVersion(textOf(download.version) ?? '')
    const name = textOf(download.name)
    if (normal === null || name === null || name.length > 300) continue
    const path = `${encodeURIComponent(normal)}.zip`
    try {
      await door.call(openPackageFile, name, { path, counts: true })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  return jsonResponse({ status: 'success' })
}

const METADATA = /^p2\/([^/]+\/[^/]+?)(~dev)?\.json$/

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const { path, method } = door
  if (method === 'PUT') return put(hearth, door)
  if (method === 'POST' && path === 'downloads') return countDownloads(door)
  if (path === 'security-advisories' && (method === 'POST' || method === 'GET'))
    return auditComposer(hearth, door)
  if (method !== 'GET') throw noAddress(door)
  if (path === 'packages.json') return readRoot(hearth, door)
  if (path === 'list.json') return jsonResponse({ packageNames: await visibleNames(door) })
  if (path === 'search.json') return search(door)
  if (path.startsWith('files/')) return readFiles(hearth, door)
  const [, name, dev] = METADATA.exec(path) ?? []
  if (name === undefined) throw noAddress(door)
  const kind = dev === undefined ? 'tagged' : 'dev'
  return door.keep(documentAnswer(await door.call(readPackageDocument, name, { kind })))
}

export const composerDoor: FormatDoor = {
  type: 'composer',
  handle,
  renderRefusal: ({ message, status }) => jsonResponse({ message, status: 'error' }, status),
  challenge: () => 'Basic realm="Hearth"',
}
