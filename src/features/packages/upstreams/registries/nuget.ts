/** NuGet sources of protocol 3, as nuget.org is (https://learn.microsoft.com/nuget/api/overview). */
import { arrayOf, isObject, textOf } from '#lib/json-value.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { parseNugetVersion } from '#lib/versions/nuget.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { addressOf, normalNugetText } from '../../formats/nuget/documents.ts'
import { parseObject } from '../../formats/json.ts'
import { UpstreamFailure } from '../fetch.ts'
import type { Registry, UpstreamRead } from '../registry.ts'
import type { DocumentRequest, Source } from '../source.ts'

const ID = /^[a-z0-9_]+(?:[.-][a-z0-9_]+)*$/
const MAX_ID_LENGTH = 100
const MAX_INDEX_BYTES = 256 * 1024

/** The folders here, and the resources that answer for them, the best first. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  flat: ['PackageBaseAddress/3.0.0'],
  reg: ['RegistrationsBaseUrl/3.6.0', 'RegistrationsBaseUrl/Versioned'],
  reg1: ['RegistrationsBaseUrl/3.4.0', 'RegistrationsBaseUrl/3.0.0-rc', 'RegistrationsBaseUrl'],
}

/** Where the source has what a folder here has, without a slash at the end. */
async function resourceOf(source: Source, folder: string): Promise<string> {
  const request = { path: 'index.json', name: 'index.json', accept: 'application/json' }
  const cached = await source.readDocument({ ...request, maxBytes: MAX_INDEX_BYTES })
  const index = cached && parseObject(await Bun.file(cached.path).text())
  const resources = arrayOf(isObject(index) ? index.resources : null).filter(isObject)
  for (const type of RESOURCES[folder] ?? []) {
    const found = resources.find((resource) => arrayOf([resource['@type']].flat()).includes(type))
    const given = textOf(found?.['@id'])
    const address = given === null ? null : URL.parse(given, source.urlOf('index.json'))
    if (address !== null) return trimTrailingSlashes(address.href)
  }
  throw new UpstreamFailure(`its service index does not say where ${RESOURCES[folder]?.[0]} is`)
}

const here = ({ hearth, door }: Source): string =>
  `${addressOf(hearth.settings.site_url, door.workspace)}/v3`

async function documentAt(
  source: Source,
  folder: string,
  id: string,
  file: string,
): Promise<DocumentRequest> {
  const url = URL.parse(`${await resourceOf(source, folder)}/${id}/${file}`)
  if (url === null) throw new UpstreamFailure('its service index has no usable address')
  return { path: `${folder}/${id}/${file}`, url, name: id, accept: 'application/json' }
}

const readDocument = (
  id: string,
  want: string,
  locate: (source: Source) => Promise<DocumentRequest | null>,
): UpstreamRead => ({
  name: id,
  answer: async (source) => {
    const request = await locate(source)
    if (request === null) throw source.missing(id)
    const rendering = { want, files: here(source), content_type: 'application/json' }
    return source.answerRendered(request, rendering)
  },
})

/** A page of a long index is where that index says. */
async function pageAt(
  source: Source,
  folder: string,
  id: string,
  page: string,
): Promise<DocumentRequest | null> {
  const index = await documentAt(source, folder, id, 'index.json')
  const found = await source.find(index, `${folder} ${page}`)
  const url = found && URL.parse(found.url)
  return url && { path: `${folder}/${id}/${page}`, url, name: id, accept: 'application/json' }
}

const readFile = (id: string, version: string, file: string): UpstreamRead => ({
  name: id,
  answer: async (source) => {
    const cached = await source.readFile({
      key: `${id}/${version}/${file}`,
      name: id,
      // Sources tell no digest of a package. Clients verify the signature in it.
      locate: async () => {
        const { url } = await documentAt(source, 'flat', id, `${version}/${file}`)
        return url === undefined ? null : { url }
      },
    })
    const type = file.endsWith('.nupkg') ? 'application/zip' : 'application/xml'
    return source.answerFile(cached, id, { 'content-type': type })
  },
})

const isNormal = (version: string): boolean =>
  parseNugetVersion(version) !== null && normalNugetText(version) === version

function parseRegistration(folder: string, id: string, rest: readonly string[]) {
  const path = rest.join('/').replace(/\.json$/, '')
  if (path === 'index')
    return readDocument(id, folder, (source) => documentAt(source, folder, id, 'index.json'))
  const [first = '', lower = '', upper = ''] = path.split('/')
  if (first === 'page' && rest.length === 3 && isNormal(lower) && isNormal(upper))
    return readDocument(id, `${folder} page`, (source) => pageAt(source, folder, id, path))
  if (rest.length !== 1 || !isNormal(first)) return null
  return readDocument(id, `${folder} leaf`, (source) =>
    documentAt(source, folder, id, `${first}.json`),
  )
}

function parse({ path }: DoorRequest): UpstreamRead | null {
  const [api, folder = '', id = '', ...rest] = path.toLowerCase().split('/')
  if (api !== 'v3' || id.length > MAX_ID_LENGTH || !ID.test(id)) return null
  const last = rest.at(-1) ?? ''
  if (folder === 'reg' || folder === 'reg1')
    return last.endsWith('.json') ? parseRegistration(folder, id, rest) : null
  if (folder !== 'flat') return null
  if (rest.length === 1 && last === 'index.json')
    return readDocument(id, 'flat', (source) => documentAt(source, 'flat', id, 'index.json'))
  const [version = ''] = rest
  if (rest.length !== 2 || !isNormal(version)) return null
  const isFile = last === `${id}.${version}.nupkg` || last === `${id}.nuspec`
  return isFile ? readFile(id, version, last) : null
}

export const nugetRegistry: Registry = { parse }
