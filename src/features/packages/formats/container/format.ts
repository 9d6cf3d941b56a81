import type { Format, JobClient, SnippetContext } from '../../format.ts'
import { isUnencrypted } from '../client-address.ts'
import { parseImageName } from './names.ts'

const hostOf = (site_url: string): string => new URL(site_url).host

/** docker needs no option for a registry on this machine, and has none for others. */
const optionOf = (client: 'docker' | 'podman', site_url: string): string =>
  client === 'podman' && isUnencrypted(site_url) ? ' --tls-verify=false' : ''

/** Asked for a password, docker would read the next pasted line. */
const login = (client: 'docker' | 'podman', site_url: string): string =>
  `echo $HEARTH_TOKEN | ${client} login${optionOf(client, site_url)} ${hostOf(site_url)} --username token --password-stdin`

const imageAddress = (site_url: string, workspace: string, name: string): string =>
  `${hostOf(site_url)}/${workspace}/${name}`

function install({ site_url, workspace, name, version, isPrivate }: SnippetContext) {
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
  return (['docker', 'podman'] as const).map((client) => ({
    client,
    file: null,
    code: `${login(client, site_url)}\n${client} build -t ${reference} .\n${client} push${optionOf(client, site_url)} ${reference}`,
  }))
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
