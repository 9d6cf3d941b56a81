import type { Hearth } from '#core/hearth.ts'
import { invalid } from '#lib/errors.ts'
import { encodeReservedPath } from '#lib/percent-encoding.ts'
import { compareMavenVersions } from '#lib/versions/maven.ts'
import { parseSemver } from '#lib/versions/semver.ts'
import type { Format, SnippetContext } from '../../format.ts'
import type { PackageRow } from '../../store.ts'
import { listActiveVersions, listFilesOfPackage } from '../../store-versions.ts'

const MAX_NAME_LENGTH = 150

const NAME = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/

const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/generic`

export function parseGenericName(text: string): string {
  if (text.length <= MAX_NAME_LENGTH && NAME.test(text)) return text
  throw invalid(
    'name',
    `${text.slice(0, 100)} is no name of a package: use at most 150 letters, digits, and . _ - between them`,
  )
}

/** Kind: `versions`, the oldest first, each with its files. */
function renderDocument(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  if (kind !== 'versions') return null
  const base = `${addressOf(hearth.settings.site_url, workspace)}/${row.name}`
  const files = Map.groupBy(listFilesOfPackage(hearth.db, row.id), ({ version_id }) => version_id)
  const versions = listActiveVersions(hearth.db, row.id).map(({ id, version, created_at }) => ({
    version,
    created_at,
    files: (files.get(id) ?? []).map(({ path, sha256, size_in_bytes }) => ({
      path: path.slice(version.length + 1),
      sha256,
      size_in_bytes,
      url: `${base}/${encodeReservedPath(path)}`,
    })),
  }))
  return { text: JSON.stringify({ name: row.name, versions }), content_type: 'application/json' }
}

const fileAddress = ({ site_url, workspace, name, version, path }: SnippetContext): string =>
  `${addressOf(site_url, workspace)}/${name}/${encodeReservedPath(path ?? `${version ?? '1.0.0'}/hello.tar.gz`)}`

export const generic: Format = {
  type: 'generic',
  parseName: parseGenericName,
  normalName: (name) => name.toLowerCase(),
  normalVersion: (version) => version,
  compareVersions: compareMavenVersions,
  isPrerelease: (version) => (parseSemver(version.replace(/^v/, ''))?.prerelease.length ?? 0) > 0,
  address: (site_url, workspace, name) => `${addressOf(site_url, workspace)}/${name}`,
  fileUrl: (site_url, workspace, name, path) =>
    `${addressOf(site_url, workspace)}/${name}/${encodeReservedPath(path)}`,
  exampleName: () => 'hello',
  install: (context) => [
    {
      client: 'curl',
      file: null,
      code: `curl --fail --location --remote-name ${context.isPrivate ? '--user token:$HEARTH_TOKEN ' : ''}${fileAddress(context)}`,
    },
  ],
  publish: (context) => [
    {
      client: 'curl',
      file: null,
      code: `curl --fail-with-body --user token:$HEARTH_TOKEN --upload-file hello.tar.gz ${fileAddress(context)}`,
    },
  ],
  renderDocument,
  sourceOf: () => null,
}
