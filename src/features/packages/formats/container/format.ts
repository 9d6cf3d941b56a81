import type { Format, JobClient, SnippetContext } from '../../format.ts'
import { isUnencrypted } from '../client-address.ts'
import { parseImageName } from './names.ts'

const hostOf = (site_url: string): string => new URL(site_url).host

type Client = 'docker' | 'podman' | 'helm registry' | 'helm'

/** docker needs no option for a registry on this machine, and has none for others. */
const UNENCRYPTED_OPTIONS: Readonly<Record<Client, string>> = {
  docker: '',
  podman: ' --tls-verify=false',
  'helm registry': ' --plain-http',
  helm: ' --plain-http',
}

const optionOf = (client: Client, site_url: string): string =>
  isUnencrypted(site_url) ? UNENCRYPTED_OPTIONS[client] : ''

/** Asked for a password, docker would read the next pasted line. */
const login = (client: Client, site_url: string): string =>
  `echo $HEARTH_TOKEN | ${client} login${optionOf(client, site_url)} ${hostOf(site_url)} --username token --password-stdin`

const imageAddress = (site_url: string, workspace: string, name: string): string =>
  `${hostOf(site_url)}/${workspace}/${name}`

const HELM_CHART = 'application/vnd.cncf.helm.config.v1+json'

/** A tag has no `+`, so Helm writes `_` for it, and takes the version of the chart. */
function installChart({ site_url, workspace, name, version, isPrivate }: SnippetContext) {
  const option = optionOf('helm', site_url)
  const chart = `oci://${imageAddress(site_url, workspace, name)}`
  const number = version === null ? '' : ` --version ${version.replaceAll('_', '+')}`
  const signIn = isPrivate ? `${login('helm registry', site_url)}\n` : ''
  const commands = ['pull', `install ${name.split('/').at(-1)}`]
  return commands.map((command) => ({
    client: command === 'pull' ? 'helm pull' : 'helm',
    file: null,
    code: `${signIn}helm ${command} ${chart}${number}${option}`,
  }))
}

function install(context: SnippetContext) {
  const { site_url, workspace, name, version, isPrivate, artifact_type } = context
  if (artifact_type === HELM_CHART) return installChart(context)
  const isDigest = version?.startsWith('sha') === true && version.includes(':')
  const reference = `${imageAddress(site_url, workspace, name)}${version === null ? '' : `${isDigest ? '@' : ':'}${version}`}`
  const pull = (client: 'docker' | 'podman') => ({
    client,
    file: null,
    code: `${isPrivate ? `${login(client, site_url)}\n` : ''}${client} pull${optionOf(client, site_url)} ${reference}`,
  })
  return [
    pull('docker'),
    pull('podman'),
    { client: 'Containerfile', file: 'Containerfile', code: `FROM ${reference}` },
  ]
}

function publish({ site_url, workspace, name }: SnippetContext) {
  const reference = `${imageAddress(site_url, workspace, name)}:latest`
  const images = (['docker', 'podman'] as const).map((client) => ({
    client,
    file: null,
    code: `${login(client, site_url)}\n${client} build -t ${reference} .\n${client} push${optionOf(client, site_url)} ${reference}`,
  }))
  const repository = `oci://${hostOf(site_url)}/${workspace}`
  const helm = {
    client: 'helm',
    file: null,
    code: `${login('helm registry', site_url)}\nhelm package .\nhelm push ${name}-chart-*.tgz ${repository}${optionOf('helm', site_url)}`,
  }
  return [...images, helm]
}

/** Podman, skopeo, crane and others read the file of docker as well. */
const jobFiles = ({ site_urls, token }: JobClient) => ({
  '.docker/config.json': `${JSON.stringify({
    auths: Object.fromEntries(
      site_urls.map((url) => [
        hostOf(url),
        { auth: Buffer.from(`token:${token}`).toString('base64') },
      ]),
    ),
  })}\n`,
})

export const container: Format = {
  type: 'container',
  parseName: parseImageName,
  normalName: (name) => name,
  normalVersion: (version) => version,
  compareVersions: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  isPrerelease: () => false,
  address: imageAddress,
  fileUrl: () => null,
  exampleName: () => 'hello',
  install,
  publish,
  jobFiles,
  renderDocument: () => null,
  sourceOf: ({ annotations }) => {
    const source =
      typeof annotations === 'object' && annotations !== null
        ? (annotations as Record<string, unknown>)['org.opencontainers.image.source']
        : null
    return typeof source === 'string' ? source : null
  },
}
