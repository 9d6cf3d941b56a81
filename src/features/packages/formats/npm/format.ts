import type { Format, JobClient, Snippet, SnippetContext } from '../../format.ts'
import { isUnencrypted } from '../client-address.ts'
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

const npmrc = (context: SnippetContext) => ({
  client: '.npmrc',
  file: '.npmrc',
  code: [registryLine(context), ...(context.isPrivate ? [tokenLine(context)] : [])].join('\n'),
})

/** yarn 2 and later. */
function yarnrc({ name, site_url, workspace, isPrivate }: SnippetContext) {
  const scope = scopeOf(name)
  const registry = [
    `npmRegistryServer: ${registryUrl(site_url, workspace)}`,
    ...(isPrivate ? [`npmAuthToken: "\${HEARTH_TOKEN}"`] : []),
    // Without a scope, yarn sends a token only when it is told to.
    ...(isPrivate && scope === null ? ['npmAlwaysAuth: true'] : []),
  ]
  const lines = [
    ...(scope === null
      ? registry
      : ['npmScopes:', `  ${scope.slice(1)}:`, ...registry.map((line) => `    ${line}`)]),
    '# Else yarn takes no version that is younger than a day. Yarn before 4.10 has no such setting.',
    `npmPreapprovedPackages: ["${scope === null ? name : `${scope}/*`}"]`,
    ...(isUnencrypted(site_url) ? [`unsafeHttpWhitelist: ["${new URL(site_url).hostname}"]`] : []),
  ]
  return { client: 'yarn', file: '.yarnrc.yml', code: lines.join('\n') }
}

function install(context: SnippetContext): readonly Snippet[] {
  const { name, version } = context
  const spec = version === null ? name : `${name}@${version}`
  return [
    npmrc(context),
    { client: 'npm', file: null, code: `npm install ${spec}` },
    { client: 'pnpm', file: null, code: `pnpm add ${spec}` },
    { client: 'bun', file: null, code: `bun add ${spec}` },
    yarnrc(context),
    { client: 'yarn', file: null, code: `yarn add ${spec}` },
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
  publish: (context) => [npmrc(context), { client: 'npm', file: null, code: 'npm publish' }],
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
