import type { Hearth } from '#core/hearth.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { parseSemver, semverKey } from '#lib/versions/semver.ts'
import type { Format, JobClient, SnippetContext } from '../../format.ts'
import type { PackageRow } from '../../store.ts'
import { listActiveVersions } from '../../store-versions.ts'
import { textOf } from '../json.ts'
import { normalCrateName, parseCrateName } from './crate-metadata.ts'

export const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/cargo`

/** The lines of all versions, the oldest first. */
function renderDocument(
  hearth: Hearth,
  row: PackageRow,
  _workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  if (kind !== 'index') return null
  const lines = listActiveVersions(hearth.db, row.id).map(
    ({ piece, yanked }) => `${piece.slice(0, -1)},"yanked":${yanked === 1}}\n`,
  )
  return { text: lines.join(''), content_type: 'text/plain; charset=utf-8' }
}

const keyOf = (version: string): string => {
  const parsed = parseSemver(version)
  return parsed === null ? '' : semverKey(parsed)
}

const setup = ({ site_url, workspace }: SnippetContext) => ({
  client: 'Cargo',
  file: '.cargo/config.toml',
  code: `[registries.${workspace}]\nindex = "sparse+${addressOf(site_url, workspace)}/"\ncredential-provider = "cargo:token"`,
})

/** `cargo login` would read the next pasted line as the token. */
const token = ({ workspace }: SnippetContext): string =>
  `export CARGO_REGISTRIES_${workspace.replaceAll('-', '_').toUpperCase()}_TOKEN=$HEARTH_TOKEN`

const jobFiles = ({ workspace, site_url, token: secret }: JobClient) => ({
  '.cargo/config.toml': `[registries.${workspace}]\nindex = "sparse+${addressOf(site_url, workspace)}/"\ncredential-provider = "cargo:token"\n`,
  '.cargo/credentials.toml': `[registries.${workspace}]\ntoken = "${secret}"\n`,
})

export const cargo: Format = {
  type: 'cargo',
  parseName: parseCrateName,
  normalName: normalCrateName,
  hasOneSpelling: true,
  normalVersion: (version) => version.split('+')[0] ?? version,
  compareVersions: (a, b) => compareKeys(keyOf(a), keyOf(b)),
  isPrerelease: (version) => (parseSemver(version)?.prerelease.length ?? 0) > 0,
  address: (site_url, workspace) => `sparse+${addressOf(site_url, workspace)}/`,
  fileUrl: (site_url, workspace, name, path) => {
    const version = path.slice(name.length + 1, -'.crate'.length)
    return `${addressOf(site_url, workspace)}/api/v1/crates/${name}/${encodeURIComponent(version)}/download`
  },
  exampleName: () => 'hello',
  install: (context) => [
    setup(context),
    {
      client: 'cargo',
      file: null,
      code: `${token(context)}\ncargo add ${context.name}${
        context.version === null ? '' : `@${context.version}`
      } --registry ${context.workspace}`,
    },
  ],
  publish: (context) => [
    setup(context),
    {
      client: 'cargo',
      file: null,
      code: `${token(context)}\ncargo publish --registry ${context.workspace}`,
    },
  ],
  jobFiles,
  renderDocument,
  sourceOf: ({ repository }) => textOf(repository),
}
