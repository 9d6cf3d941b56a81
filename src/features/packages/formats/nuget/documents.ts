/**
 * The documents of NuGet's protocol 3 for one package
 * (https://learn.microsoft.com/nuget/api/registration-base-url-resource).
 */
import type { Hearth } from '#core/hearth.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { isSemver2, normalNugetVersion, nugetKey, parseNugetVersion } from '#lib/versions/nuget.ts'
import type { PackageRow } from '../../store.ts'
import { listActiveVersions, type VersionRow } from '../../store-versions.ts'
import type { DependencyGroup, Nuspec } from './read-nuspec.ts'

export const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/nuget`

/** Below this count all versions stand in the index: a client asks for pages one after another. */
const MAX_INLINE = 1024
const PAGE_SIZE = 64
/** What clients read as unlisted. */
const UNLISTED = '1900-01-01T00:00:00Z'

export const normalNugetText = (text: string): string => {
  const version = parseNugetVersion(text)
  return version === null ? text.toLowerCase() : normalNugetVersion(version).toLowerCase()
}

export const nugetKeyOf = (text: string): string => {
  const version = parseNugetVersion(text)
  return version === null ? '' : nugetKey(version)
}

/** `1.0.0` as a dependency means that version or a later one. */
const rangeOf = (range: string): string =>
  range === '' ? '(, )' : /^[[(]/.test(range) ? range : `[${range}, )`

const groupOf = ({ targetFramework, dependencies }: DependencyGroup) => ({
  '@type': 'PackageDependencyGroup',
  ...(targetFramework !== '' && { targetFramework }),
  ...(dependencies.length > 0 && {
    dependencies: dependencies.map(({ id, range }) => ({
      '@type': 'PackageDependency',
      id,
      range: rangeOf(range),
    })),
  }),
})

/** The part of a version's entry that does not change, rendered once. */
export const nugetPiece = (nuspec: Nuspec): string =>
  JSON.stringify({
    '@type': 'PackageDetails',
    authors: nuspec.authors,
    dependencyGroups: nuspec.dependencyGroups.map(groupOf),
    description: nuspec.description,
    id: nuspec.id,
    ...(nuspec.licenseExpression !== '' && { licenseExpression: nuspec.licenseExpression }),
    licenseUrl: nuspec.licenseUrl,
    ...(nuspec.minClientVersion !== '' && { minClientVersion: nuspec.minClientVersion }),
    projectUrl: nuspec.projectUrl,
    requireLicenseAcceptance: nuspec.requireLicenseAcceptance,
    summary: nuspec.summary,
    tags: nuspec.tags,
    title: nuspec.title === '' ? nuspec.id : nuspec.title,
    version: nuspec.version,
  })

type Base = {
  /** The address of the registrations of the package. */
  readonly registration: string
  /** The address of its files. */
  readonly content: string
  readonly id: string
}

function leafOf(base: Base, row: VersionRow): string {
  const version = row.normal_version
  const leaf = `${base.registration}/${version}.json`
  const packageContent = `${base.content}/${version}/${base.id}.${version}.nupkg`
  const isListed = row.yanked === 0
  const entry = JSON.stringify({
    '@id': leaf,
    listed: isListed,
    published: isListed ? row.created_at : UNLISTED,
    packageContent,
    ...(row.deprecated !== null && {
      deprecation: { '@type': 'deprecation', message: row.deprecated, reasons: ['Other'] },
    }),
  })
  const catalogEntry = `${entry.slice(0, -1)},${row.piece.slice(1)}`
  const head = JSON.stringify({ '@id': leaf, '@type': 'Package', packageContent })
  const registration = JSON.stringify(`${base.registration}/index.json`)
  return `${head.slice(0, -1)},"registration":${registration},"catalogEntry":${catalogEntry}}`
}

type Page = { readonly lower: string; readonly upper: string; readonly rows: readonly VersionRow[] }

const pageOf = (rows: readonly VersionRow[]): Page => ({
  lower: rows[0]?.normal_version ?? '',
  upper: rows.at(-1)?.normal_version ?? '',
  rows,
})

function pagesOf(rows: readonly VersionRow[]): Page[] {
  if (rows.length <= MAX_INLINE) return [pageOf(rows)]
  const pages: Page[] = []
  for (let at = 0; at < rows.length; at += PAGE_SIZE)
    pages.push(pageOf(rows.slice(at, at + PAGE_SIZE)))
  return pages
}

function renderPage(base: Base, page: Page, isInline: boolean): string {
  const { lower, upper, rows } = page
  const head = JSON.stringify({
    '@id': `${base.registration}/page/${lower}/${upper}.json`,
    '@type': 'catalog:CatalogPage',
    count: rows.length,
    lower,
    upper,
    parent: `${base.registration}/index.json`,
  })
  if (!isInline) return head
  const items = rows.map((row) => leafOf(base, row)).join(',')
  return `${head.slice(0, -1)},"items":[${items}]}`
}

function renderIndex(base: Base, rows: readonly VersionRow[]): string {
  const pages = pagesOf(rows)
  const head = JSON.stringify({
    '@id': `${base.registration}/index.json`,
    '@type': ['catalog:CatalogRoot', 'PackageRegistration', 'catalog:Permalink'],
    count: pages.length,
  })
  const items = pages.map((page) => renderPage(base, page, pages.length === 1)).join(',')
  return `${head.slice(0, -1)},"items":[${items}]}`
}

const isForSemver1 = ({ version }: VersionRow): boolean => {
  const parsed = parseNugetVersion(version)
  return parsed !== null && !isSemver2(parsed)
}

/** What a search shows of a version. */
export type SearchVersion = {
  readonly version: string
  readonly normal: string
  readonly prerelease: boolean
  readonly semver2: boolean
  readonly downloads: number
  readonly entry: Readonly<Record<string, unknown>>
}

const renderSearch = (rows: readonly VersionRow[]): string =>
  JSON.stringify(
    rows
      .filter(({ yanked }) => yanked === 0)
      .map(
        (row): SearchVersion => ({
          version: row.version,
          normal: row.normal_version,
          prerelease: row.prerelease === 1,
          semver2: !isForSemver1(row),
          downloads: row.download_count,
          entry: JSON.parse(row.piece) as Record<string, unknown>,
        }),
      ),
  )

/**
 * Kinds: `flat` (all numbers), `search`, and below `reg` (all versions) or `reg1` (those without
 * SemVer 2): `reg index`, `reg page/<lower>/<upper>`, `reg <version>`.
 */
export function renderNugetDocument(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  const json = (text: string) => ({ text, content_type: 'application/json' })
  const rows = listActiveVersions(hearth.db, row.id)
    .map((version) => ({ version, key: nugetKeyOf(version.version) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map(({ version }) => version)
  if (kind === 'flat')
    return json(JSON.stringify({ versions: rows.map(({ normal_version }) => normal_version) }))
  if (kind === 'search') return json(renderSearch(rows))
  const [folder = '', name = ''] = kind.split(' ')
  const id = row.normal_name
  const address = `${addressOf(hearth.settings.site_url, workspace)}/v3`
  const base = { id, registration: `${address}/${folder}/${id}`, content: `${address}/flat/${id}` }
  const shown = folder === 'reg1' ? rows.filter(isForSemver1) : rows
  if (shown.length === 0) return null
  if (name === 'index') return json(renderIndex(base, shown))
  const [, lower, upper] = name.split('/')
  if (name.startsWith('page/')) {
    const page = pagesOf(shown).find((one) => one.lower === lower && one.upper === upper)
    return page === undefined ? null : json(renderPage(base, page, true))
  }
  const found = shown.find(({ normal_version }) => normal_version === name)
  return found === undefined ? null : json(leafOf(base, found))
}
