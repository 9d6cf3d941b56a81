import type { Format, JobClient, SnippetContext } from '../../format.ts'
import { parseImageName } from './names.ts'

const hostOf = (site_url: string): string => new URL(site_url).host

/** Asked for a password, docker would read the next pasted line. */
const login = (client: string, site_url: string): string =>
  `echo $HEARTH_TOKEN | ${client} login ${hostOf(site_url)} --username token --password-stdin`

const imageAddress = (site_url: string, workspace: string, name: string): string =>
  `${hostOf(site_url)}/${workspace}/${name}`

function install({ site_url, workspace, name, version }: SnippetContext) {
  const isDigest = version?.startsWith('sha') === true && version.includes(':')
  const reference = `${imageAddress(site_url, workspace, name)}${version === null ? '' : `${isDigest ? '@' : ':'}${version}`}`
  return [
    { client: 'docker', file: null, code: `docker pull ${reference}` },
    { client: 'podman', file: null, code: `podman pull ${reference}` },
    { client: 'Containerfile', file: 'Containerfile', code: `FROM ${reference}` },
  ]
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
  publish: ({ site_url, workspace, name }) => [
    {
      client: 'docker',
      file: null,
      code: `${login('docker', site_url)}\ndocker build -t ${imageAddress(site_url, workspace, name)}:latest .\ndocker push ${imageAddress(site_url, workspace, name)}:latest`,
    },
    {
      client: 'podman',
      file: null,
      code: `${login('podman', site_url)}\npodman build -t ${imageAddress(site_url, workspace, name)}:latest .\npodman push ${imageAddress(site_url, workspace, name)}:latest`,
    },
  ],
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
