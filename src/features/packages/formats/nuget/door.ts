/**
 * NuGet: protocol 3 at `/packages/<workspace>/nuget/v3/index.json`
 * (https://learn.microsoft.com/nuget/api/overview).
 */
import type { DigestedBlob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { readMultipart } from '#lib/multipart.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import {
  documentAnswer,
  documentResponse,
  downloadResponse,
  jsonResponse,
} from '../../door/door-response.ts'
import type { FormatDoor } from '../../door/format-door.ts'
import { markPackageVersion } from '../../mark-package-version.ts'
import { openPackageFile } from '../../open-package-file.ts'
import type { PublishedFile } from '../../publication.ts'
import { publishPackageVersion } from '../../publish-package-version.ts'
import { readPackageDocument } from '../../read-package-document.ts'
import { documentReader } from '../document-reader.ts'
import { textOf } from '../json.ts'
import { noAddress, requirePublisher, storeBytes, storeUpload, uploadPath } from '../upload.ts'
import { addressOf, normalNugetText, nugetPiece } from './documents.ts'
import { readNupkg, type Nuspec } from './read-nuspec.ts'
import { autocomplete, search } from './search.ts'
import { importedPage, publishedPage, vulnerabilityIndex } from './vulnerabilities.ts'

/** Older clients ask for older spellings of the same resource. */
const RESOURCES: readonly (readonly [path: string, types: readonly string[]])[] = [
  ['v3/flat/', ['PackageBaseAddress/3.0.0']],
  [
    'v3/reg1/',
    ['', '/3.0.0-beta', '/3.0.0-rc', '/3.4.0'].map((end) => `RegistrationsBaseUrl${end}`),
  ],
  ['v3/reg/', ['RegistrationsBaseUrl/3.6.0', 'RegistrationsBaseUrl/Versioned']],
  ['v3/query', ['', '/3.0.0-beta', '/3.0.0-rc', '/3.5.0'].map((end) => `SearchQueryService${end}`)],
  [
    'v3/autocomplete',
    ['', '/3.0.0-beta', '/3.0.0-rc', '/3.5.0'].map((end) => `SearchAutocompleteService${end}`),
  ],
  ['v3/vulnerabilities/index.json', ['VulnerabilityInfo/6.7.0']],
  ['v2/package', ['PackagePublish/2.0.0']],
  ['v2/symbolpackage', ['SymbolPackagePublish/4.9.0']],
]

/** Open to everyone, because NuGet asks every source before it knows which one has a package. */
function serviceIndex({ settings }: Hearth, { workspace }: DoorRequest): Response {
  const base = addressOf(settings.site_url, workspace)
  const resources = RESOURCES.flatMap(([path, types]) =>
    types.map((type) => ({ '@id': `${base}/${path}`, '@type': type })),
  )
  return jsonResponse({ version: '3.0.0', resources })
}

/** The file of the form in which clients send a package. */
async function receive(hearth: Hearth, door: DoorRequest): Promise<DigestedBlob> {
  const maxBytes = hearth.settings.packages.max_file_bytes + 64 * 1024
  const body = door.stream(maxBytes)
  for await (const part of readMultipart(body, door.headers.get('content-type') ?? ''))
    return await storeUpload(hearth, door, part.stream, { digests: ['sha512'] })
  throw new Refusal('bad_request', 'the form has no package')
}

const fileAt = (path: string, blob: DigestedBlob, content_type: string): PublishedFile => ({
  path,
  sha256: blob.sha256,
  size: blob.size,
  digests: blob.digests,
  content_type,
})

const descriptionOf = ({ description, summary }: Nuspec): string | null =>
  textOf(summary) ?? textOf(description)?.slice(0, 1000) ?? null

async function push(hearth: Hearth, door: DoorRequest, isSymbols: boolean): Promise<Response> {
  requirePublisher(hearth, door)
  const blob = await receive(hearth, door)
  const path = await uploadPath(hearth, blob)
  const { nuspec, document } = await readNupkg(documentReader(hearth), path, blob.size)
  const hasSymbols = nuspec.packageTypes.includes('SymbolsPackage')
  if (hasSymbols !== isSymbols)
    throw new Refusal(
      'bad_request',
      isSymbols ? 'this is no package of symbols (.snupkg)' : 'symbols are pushed as .snupkg',
    )
  const [id, version] = [nuspec.id.toLowerCase(), normalNugetText(nuspec.version)]
  if (isSymbols) return await pushSymbols(door, nuspec, blob)
  const description = fileAt(
    `${version}/${id}.nuspec`,
    await storeBytes(hearth, document),
    'application/xml',
  )
  await door.call(publishPackageVersion, nuspec.id, {
    publication: {
      version: nuspec.version,
      digest: `sha256:${blob.sha256}`,
      metadata: nuspec,
      piece: nugetPiece(nuspec),
      files: [fileAt(`${version}/${id}.${version}.nupkg`, blob, 'application/zip'), description],
      description: descriptionOf(nuspec),
    },
  })
  return new Response(null, { status: 201 })
}

/** Symbols join a version that is there. Throws 404 without it. */
async function pushSymbols(
  door: DoorRequest,
  nuspec: Nuspec,
  blob: DigestedBlob,
): Promise<Response> {
  const [id, version] = [nuspec.id.toLowerCase(), normalNugetText(nuspec.version)]
  const path = `${version}/${id}.${version}.nupkg`
  await door.call(openPackageFile, nuspec.id, { path })
  await door.call(publishPackageVersion, nuspec.id, {
    publication: {
      version: nuspec.version,
      digest: `sha256:${blob.sha256}`,
      metadata: {},
      files: [fileAt(`${version}/${id}.${version}.snupkg`, blob, 'application/zip')],
      addsFiles: true,
    },
  })
  return new Response(null, { status: 201 })
}

async function handlePush(
  hearth: Hearth,
  door: DoorRequest,
  parts: readonly string[],
): Promise<Response> {
  const { method } = door
  const [kind = '', id = '', version = ''] = parts
  if (method === 'PUT' && id === '') return push(hearth, door, kind === 'symbolpackage')
  if (version === '' || kind !== 'package' || (method !== 'DELETE' && method !== 'POST'))
    throw noAddress(door)
  const isYanked = method === 'DELETE'
  await door.call(markPackageVersion, id, { version: normalNugetText(version), yanked: isYanked })
  return new Response(null, { status: isYanked ? 204 : 200 })
}

/** `flat/<id>/index.json` and `flat/<id>/<version>/<file>`. */
async function readContent(
  hearth: Hearth,
  door: DoorRequest,
  id: string,
  parts: readonly string[],
): Promise<Response> {
  if (parts.length === 1 && parts[0] === 'index.json')
    return door.keep(documentAnswer(await door.call(readPackageDocument, id, { kind: 'flat' })))
  const path = parts.join('/').toLowerCase()
  const file = await door.call(openPackageFile, id, { path })
  return downloadResponse(hearth, door, file, { counts: path.endsWith('.nupkg') })
}

async function readRegistration(
  door: DoorRequest,
  folder: string,
  id: string,
  parts: readonly string[],
): Promise<Response> {
  const path = parts.join('/').toLowerCase()
  if (!path.endsWith('.json')) throw noAddress(door)
  const kind = `${folder} ${path.slice(0, -'.json'.length)}`
  return door.keep(documentAnswer(await door.call(readPackageDocument, id, { kind })))
}

async function handle(hearth: Hearth, door: DoorRequest): Promise<Response> {
  const [api = '', folder = '', id = '', ...rest] = door.path.replace(/\/$/, '').split('/')
  if (api === 'v2') return await handlePush(hearth, door, [folder, id, ...rest])
  if (api !== 'v3' || door.method !== 'GET') throw noAddress(door)
  if (folder === 'index.json') return serviceIndex(hearth, door)
  if (folder === 'query') return await search(door)
  if (folder === 'autocomplete') return await autocomplete(door)
  if (folder === 'vulnerabilities' && id === 'index.json') return vulnerabilityIndex(hearth, door)
  if (folder === 'vulnerabilities' && id === 'base.json')
    return documentResponse(door, await importedPage(hearth))
  if (folder === 'vulnerabilities' && id === 'published.json') return publishedPage(hearth, door)
  if (id === '' || rest.length === 0) throw noAddress(door)
  if (folder === 'flat') return await readContent(hearth, door, id, rest)
  if (folder === 'reg' || folder === 'reg1') return await readRegistration(door, folder, id, rest)
  throw noAddress(door)
}

export const nugetDoor: FormatDoor = {
  type: 'nuget',
  handle,
  renderRefusal: ({ message, status }) =>
    // Header values are Latin-1 text; newer clients print this one.
    jsonResponse({ error: message }, status, {
      'x-nuget-warning': message.replace(/[^\x20-\x7e]/g, '?'),
    }),
  challenge: () => 'Basic realm="Hearth"',
}
