/** The documents of npm: the packument, full and slim, one version, and the tags. */
import type { Hearth } from '#core/hearth.ts'
import type { PackageRow } from '../../store.ts'
import {
  findTag,
  findVersion,
  listActiveVersions,
  listFiles,
  listFilesOfPackage,
  listTags,
  versionById,
  type FileRow,
  type VersionRow,
} from '../../store-versions.ts'
import { normalNpmVersion } from './names.ts'

type Json = Readonly<Record<string, unknown>>

/** What installing needs of a version; all else is left out of the slim packument. */
const SLIM_FIELDS = [
  'name',
  'version',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundleDependencies',
  'bundledDependencies',
  'acceptDependencies',
  'bin',
  'directories',
  'engines',
  'os',
  'cpu',
  'libc',
  'funding',
] as const

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'] as const

/** The part of the slim packument that a version is; rendered once, when it is published. */
export function slimPiece(manifest: Json): string {
  const slim: Record<string, unknown> = {}
  for (const field of SLIM_FIELDS) if (manifest[field] !== undefined) slim[field] = manifest[field]
  const { scripts } = manifest
  if (typeof scripts === 'object' && scripts !== null)
    if (INSTALL_SCRIPTS.some((name) => name in scripts)) slim.hasInstallScript = true
  return JSON.stringify(slim)
}

export const registryUrl = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/npm/`

export const tarballUrl = (
  site_url: string,
  workspace: string,
  name: string,
  path: string,
): string => `${registryUrl(site_url, workspace)}${name}/-/${encodeURIComponent(path)}`

const hexToBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

type Place = { readonly site_url: string; readonly workspace: string; readonly name: string }

/** The JSON of a version with what the registry knows of it added at its end. */
function withDist(
  { site_url, workspace, name }: Place,
  manifest: string,
  version: VersionRow,
  file: FileRow | undefined,
): string {
  const added: Record<string, unknown> = {}
  if (file)
    added.dist = {
      integrity: file.sha512 === null ? undefined : `sha512-${hexToBase64(file.sha512)}`,
      shasum: file.sha1 ?? undefined,
      tarball: tarballUrl(site_url, workspace, name, file.path),
    }
  if (version.deprecated !== null) added.deprecated = version.deprecated
  const members = JSON.stringify(added).slice(1)
  return manifest === '{}' ? `{${members}` : `${manifest.slice(0, -1)},${members}`
}

function tagsOf(hearth: Hearth, row: PackageRow): Record<string, string> {
  const latest =
    row.latest_version_id === null ? null : versionById(hearth.db, row.latest_version_id)
  return {
    // Installing needs the tag, also after the version that it named was deleted.
    ...(latest && { latest: latest.version }),
    ...Object.fromEntries(listTags(hearth.db, row.id).map(({ name, version }) => [name, version])),
  }
}

export const revisionOf = (row: PackageRow): string => `${row.revision}-${row.id}`

function renderPackument(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  isSlim: boolean,
): string {
  const place = { site_url: hearth.settings.site_url, workspace, name: row.name }
  const files = new Map(
    listFilesOfPackage(hearth.db, row.id).map((file) => [file.version_id, file]),
  )
  const rows = listActiveVersions(hearth.db, row.id)
  const versions = rows
    .map((version) => {
      const json = isSlim ? version.piece : version.metadata
      const whole = withDist(place, json, version, files.get(version.id))
      return `${JSON.stringify(version.version)}:${whole}`
    })
    .join(',')
  const head = isSlim
    ? { name: row.name, 'dist-tags': tagsOf(hearth, row), modified: row.updated_at }
    : {
        _id: row.name,
        _rev: revisionOf(row),
        name: row.name,
        ...(row.description !== null && { description: row.description }),
        'dist-tags': tagsOf(hearth, row),
        time: {
          created: row.created_at,
          modified: row.updated_at,
          ...Object.fromEntries(rows.map(({ version, created_at }) => [version, created_at])),
        },
      }
  return `${JSON.stringify(head).slice(0, -1)},"versions":{${versions}}}`
}

function renderVersion(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  name: string,
): string | null {
  const tagged = findTag(hearth.db, row.id, name)
  const version =
    findVersion(hearth.db, row.id, normalNpmVersion(name)) ??
    (tagged ? versionById(hearth.db, tagged.version_id) : null)
  if (!version || version.deleted_at !== null) return null
  const [file] = listFiles(hearth.db, version.id)
  const place = { site_url: hearth.settings.site_url, workspace, name: row.name }
  return withDist(place, version.metadata, version, file)
}

/** Kinds: `full`, `slim`, `dist-tags`, and `version <number or tag>`. */
export function renderNpmDocument(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  const json = (text: string) => ({ text, content_type: 'application/json' })
  if (kind === 'full') return json(renderPackument(hearth, row, workspace, false))
  if (kind === 'slim')
    return {
      text: renderPackument(hearth, row, workspace, true),
      content_type: 'application/vnd.npm.install-v1+json',
    }
  if (kind === 'dist-tags') return json(JSON.stringify(tagsOf(hearth, row)))
  const text = kind.startsWith('version ')
    ? renderVersion(hearth, row, workspace, kind.slice('version '.length))
    : null
  return text === null ? null : json(text)
}
