/** Documents of NuGet's protocol 3, with the addresses of this forge. Runs in a thread. */
import { arrayOf, isObject, textOf, type JsonObject } from '#lib/json-value.ts'
import { normalNugetVersion, parseNugetVersion } from '#lib/versions/nuget.ts'
import type { DocumentQuestion, FoundFile } from '../documents.ts'

type Base = { readonly id: string; readonly registration: string; readonly content: string }

/** The normal form in lower case; null for what is no version. */
function normalOf(value: unknown): string | null {
  const version = parseNugetVersion(textOf(value) ?? '')
  return version === null ? null : normalNugetVersion(version).toLowerCase()
}

/** Dependencies without the addresses of their registrations elsewhere. */
const groupsHere = (groups: unknown): JsonObject[] =>
  arrayOf(groups)
    .filter(isObject)
    .map(({ '@id': _, dependencies, ...group }) => ({
      ...group,
      ...(dependencies !== undefined && {
        dependencies: arrayOf(dependencies)
          .filter(isObject)
          .map(({ '@id': __, registration, ...dependency }) => dependency),
      }),
    }))

/** Null for a leaf without a version. Throws for one of another package. */
function leafHere(base: Base, leaf: JsonObject): JsonObject | null {
  const entry = leaf.catalogEntry
  if (!isObject(entry)) return null
  if ((textOf(entry.id) ?? '').toLowerCase() !== base.id)
    throw new TypeError('it is not about this package')
  const version = normalOf(entry.version)
  if (version === null) return null
  const address = `${base.registration}/${version}.json`
  const packageContent = `${base.content}/${version}/${base.id}.${version}.nupkg`
  return {
    '@id': address,
    '@type': 'Package',
    packageContent,
    registration: `${base.registration}/index.json`,
    catalogEntry: {
      ...entry,
      '@id': address,
      packageContent,
      ...(entry.dependencyGroups !== undefined && {
        dependencyGroups: groupsHere(entry.dependencyGroups),
      }),
    },
  }
}

/** Null for a page whose bounds are no versions. */
function pageHere(base: Base, page: JsonObject): JsonObject | null {
  const [lower, upper] = [normalOf(page.lower), normalOf(page.upper)]
  if (lower === null || upper === null) return null
  const items = Array.isArray(page.items)
    ? page.items.filter(isObject).flatMap((leaf) => leafHere(base, leaf) ?? [])
    : null
  return {
    '@id': `${base.registration}/page/${lower}/${upper}.json`,
    '@type': 'catalog:CatalogPage',
    count: items?.length ?? page.count,
    lower,
    upper,
    parent: `${base.registration}/index.json`,
    ...(items !== null && { items }),
  }
}

const renderFlat = (document: JsonObject): string =>
  JSON.stringify({ versions: arrayOf(document.versions).flatMap((one) => normalOf(one) ?? []) })

function renderIndex(base: Base, document: JsonObject): string {
  const items = arrayOf(document.items)
    .filter(isObject)
    .flatMap((page) => pageHere(base, page) ?? [])
  return JSON.stringify({
    '@id': `${base.registration}/index.json`,
    '@type': ['catalog:CatalogRoot', 'PackageRegistration', 'catalog:Permalink'],
    count: items.length,
    items,
  })
}

/** A leaf by itself names its entry by an address. */
function renderLeaf(base: Base, document: JsonObject): string | null {
  const path = textOf(document['@id'])
    ?.split('/')
    .at(-1)
    ?.replace(/\.json$/i, '')
  const version = normalOf(path)
  if (version === null) return null
  const { '@context': _, '@id': __, catalogEntry: ___, ...rest } = document
  return JSON.stringify({
    ...rest,
    '@id': `${base.registration}/${version}.json`,
    packageContent: `${base.content}/${version}/${base.id}.${version}.nupkg`,
    registration: `${base.registration}/index.json`,
  })
}

/** Where the index says that a page is. */
function findPage(document: JsonObject, url: string, page: string): FoundFile | null {
  const [, lower, upper] = page.split('/')
  const found = arrayOf(document.items)
    .filter(isObject)
    .find((one) => normalOf(one.lower) === lower && normalOf(one.upper) === upper)
  const given = textOf(found?.['@id'])
  const address = given === null ? null : URL.parse(given, url)
  return address && { url: address.href }
}

/** Kinds: `flat`; `reg`, `reg page` and `reg leaf`, or `reg1`; `file reg page/<lower>/<upper>`. */
export function nugetDocument(text: string, question: DocumentQuestion): string | FoundFile | null {
  const document: unknown = JSON.parse(text)
  if (!isObject(document)) throw new TypeError('it is not an object')
  const { name: id, files, url, want } = question
  if (want === 'flat') return renderFlat(document)
  const isSearch = want.startsWith('file ')
  const [folder = '', kind = ''] = (isSearch ? want.slice('file '.length) : want).split(' ')
  if (isSearch) return findPage(document, url, kind)
  const base = { id, registration: `${files}/${folder}/${id}`, content: `${files}/flat/${id}` }
  if (kind === '') return renderIndex(base, document)
  if (kind === 'leaf') return renderLeaf(base, document)
  const page = pageHere(base, document)
  return page && JSON.stringify(page)
}
