import type { Hearth } from '#core/hearth.ts'
import { composerKey, composerStability, normalComposerVersion } from '#lib/versions/composer.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import type { Format, JobClient, SnippetContext } from '../../format.ts'
import type { PackageRow } from '../../store.ts'
import { listActiveVersions, type VersionRow } from '../../store-versions.ts'
import { isObject } from '#lib/json-value.ts'
import { textOf } from '../json.ts'
import { isUnencrypted } from '../client-address.ts'
import { parseComposerName } from './read-composer.ts'

export const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/composer`

/** Above this count the vendors are named in place of the packages. */
const MAX_NAMED = 1_000

/**
 * What Composer reads first. With the names of all packages that are here it does not ask here for
 * every package that it needs; null when others are here too.
 */
export function rootDocument(
  site_url: string,
  workspace: string,
  names: readonly string[] | null,
): Readonly<Record<string, unknown>> {
  const base = addressOf(site_url, workspace)
  const vendors = new Set((names ?? []).map((name) => `${name.split('/')[0] ?? ''}/*`))
  return {
    packages: [],
    'metadata-url': `${base}/p2/%package%.json`,
    list: `${base}/list.json`,
    search: `${base}/search.json?q=%query%&type=%type%`,
    'notify-batch': `${base}/downloads`,
    'security-advisories': { metadata: false, 'api-url': `${base}/security-advisories` },
    ...(names !== null &&
      (names.length <= MAX_NAMED
        ? { 'available-packages': names }
        : { 'available-package-patterns': [...vendors] })),
  }
}

const isDev = ({ normal_version }: VersionRow): boolean =>
  composerStability(normal_version) === 'dev'

/** Kinds: `tagged` and `dev`. */
function renderDocument(
  hearth: Hearth,
  row: PackageRow,
  workspace: string,
  kind: string,
): { text: string; content_type: string } | null {
  if (kind !== 'tagged' && kind !== 'dev') return null
  const base = addressOf(hearth.settings.site_url, workspace)
  const versions = listActiveVersions(hearth.db, row.id)
    .filter((version) => isDev(version) === (kind === 'dev'))
    .toReversed()
    .map((version) => {
      const entry = JSON.parse(version.piece) as { dist: object }
      const file = encodeURIComponent(encodeURIComponent(version.normal_version))
      return {
        ...entry,
        time: version.created_at,
        dist: { ...entry.dist, url: `${base}/files/${row.name}/${file}.zip` },
      }
    })
  const text = JSON.stringify({ packages: { [row.name]: versions } })
  return { text, content_type: 'application/json' }
}

const repository = ({ site_url, workspace }: SnippetContext): string =>
  `composer config repositories.${workspace} composer ${addressOf(site_url, workspace)}`

const credentials = ({ site_url }: SnippetContext): string =>
  `composer config --global --auth http-basic.${new URL(site_url).host} token $HEARTH_TOKEN`

/** What Composer needs to know before it reads from here. */
const settings = (context: SnippetContext): string[] => [
  repository(context),
  ...(isUnencrypted(context.site_url) ? ['composer config secure-http false'] : []),
  ...(context.isPrivate ? [credentials(context)] : []),
]

const normalOf = (version: string): string => normalComposerVersion(version) ?? version

/** The older of the two places: Composer reads it wherever the newer one does not exist. */
const jobFiles = ({ site_urls, token }: JobClient) => ({
  '.composer/auth.json': `${JSON.stringify({
    'http-basic': Object.fromEntries(
      site_urls.map((url) => [new URL(url).host, { username: 'token', password: token }]),
    ),
  })}\n`,
})

export const composer: Format = {
  type: 'composer',
  parseName: parseComposerName,
  normalName: (name) => name.toLowerCase(),
  normalVersion: normalOf,
  compareVersions: (a, b) => compareKeys(composerKey(a), composerKey(b)),
  isPrerelease: (version) => composerStability(normalOf(version)) !== 'stable',
  address: (site_url, workspace) => `${addressOf(site_url, workspace)}/packages.json`,
  fileUrl: (site_url, workspace, name, path) =>
    `${addressOf(site_url, workspace)}/files/${name}/${encodeURIComponent(path)}`,
  exampleName: (workspace) => `${workspace}/hello`,
  install: (context) => [
    {
      client: 'composer',
      file: null,
      code: [
        ...settings(context),
        `composer require ${context.name}${context.version === null ? '' : `:${context.version}`}`,
      ].join('\n'),
    },
  ],
  publish: (context) => [
    {
      client: 'curl',
      file: null,
      code: `git archive --format=zip --output=package.zip HEAD\ncurl --fail-with-body --user token:$HEARTH_TOKEN --upload-file package.zip "${addressOf(
        context.site_url,
        context.workspace,
      )}/?version=${context.version ?? '1.0.0'}"`,
    },
  ],
  jobFiles,
  renderDocument,
  sourceOf: ({ support, homepage }) =>
    (isObject(support) ? textOf(support.source) : null) ?? textOf(homepage),
}
