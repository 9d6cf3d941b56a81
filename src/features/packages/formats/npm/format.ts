import type { Format, JobClient, SnippetContext } from '../../format.ts'
import { registryUrl, renderNpmDocument, tarballUrl } from './documents.ts'
import { isNpmPrerelease, normalNpmVersion, parseNpmName } from './names.ts'

const scopeOf = (name: string): string | null => /^(@[^/]+)\//.exec(name)?.[1] ?? null

/** The address without its scheme, as `.npmrc` names the token of a registry. */
const tokenLine = ({ site_url, workspace }: SnippetContext): string =>
  `${registryUrl(site_url, workspace).replace(/^https?:/, '')}:_authToken=\${HEARTH_TOKEN}`

const registryLine = ({ site_url, workspace, name }: SnippetContext): string => {
  const scope = scopeOf(name)
  return `${scope === null ? '' : `${scope}:`}registry=${registryUrl(site_url, workspace)}`
}

function install(
  context: SnippetContext,
): readonly { client: string; code: string; file: string | null }[] {
  const { name, version, site_url, workspace } = context
  const spec = version === null ? name : `${name}@${version}`
  const scope = scopeOf(name)
  const yarnRegistry = registryUrl(site_url, workspace)
  return [
    { client: '.npmrc', file: '.npmrc', code: `${registryLine(context)}\n${tokenLine(context)}` },
    { client: 'npm', file: null, code: `npm install ${spec}` },
    { client: 'pnpm', file: null, code: `pnpm add ${spec}` },
    { client: 'bun', file: null, code: `bun add ${spec}` },
    {
      client: 'yarn',
      file: '.yarnrc.yml',
      code:
        scope === null
          ? `npmRegistryServer: ${yarnRegistry}`
          : `npmScopes:\n  ${scope.slice(1)}:\n    npmRegistryServer: ${yarnRegistry}\n    npmAuthToken: \${HEARTH_TOKEN}\nnpmPreapprovedPackages: ["${scope}/*"]`,
    },
  ]
}

/**
 * The scope of the workspace leads here when the job may publish, or the workspace has packages of
 * that scope. Else a scope of the same name at another registry would be hidden.
 */
function jobFiles({ workspace, site_url, site_urls, token, mayPublish, hasNames }: JobClient) {
  const leadsHere = mayPublish || hasNames(`@${workspace}/`)
  const lines = [
    ...(leadsHere ? [`@${workspace}:registry=${registryUrl(site_url, workspace)}`] : []),
    ...site_urls.map(
      (url) => `${registryUrl(url, workspace).replace(/^https?:/, '')}:_authToken=${token}`,
    ),
  ]
  return { '.npmrc': `${lines.join('\n')}\n` }
}

export const npm: Format = {
  type: 'npm',
  parseName: parseNpmName,
  normalName: (name) => name,
  normalVersion: normalNpmVersion,
  compareVersions: (a, b) => Bun.semver.order(a, b),
  isPrerelease: isNpmPrerelease,
  address: registryUrl,
  fileUrl: tarballUrl,
  exampleName: (workspace) => `@${workspace}/hello`,
  install,
  publish: (context) => [
    { client: '.npmrc', file: '.npmrc', code: `${registryLine(context)}\n${tokenLine(context)}` },
    {
      client: 'npm',
      file: null,
      code: 'npm publish',
    },
  ],
  jobFiles,
  renderDocument: renderNpmDocument,
  sourceOf: ({ repository }) => {
    const url =
      typeof repository === 'object' && repository !== null
        ? (repository as { url?: unknown }).url
        : repository
    return typeof url === 'string' ? url : null
  },
}
