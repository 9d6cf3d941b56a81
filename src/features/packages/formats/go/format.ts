import { invalid } from '#lib/errors.ts'
import type { Format, SnippetContext } from '../../format.ts'
import { isUnencrypted, withToken } from '../client-address.ts'
import { goVersionKey, isGoPrerelease } from './module-path.ts'

const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/go`

const hostOf = ({ site_url }: SnippetContext): string => new URL(site_url).hostname

const settings = (context: SnippetContext): string =>
  `${isUnencrypted(context.site_url) ? '# The go command sends a token over https only.\n' : ''}export GOPROXY=${withToken(addressOf(context.site_url, context.workspace))},https://proxy.golang.org,direct\nexport GONOSUMDB=${hostOf(context)}/${context.workspace}/*`

export const go: Format = {
  type: 'go',
  parseName: (text) => {
    throw invalid('name', `${text.slice(0, 100)} is not published: push a tag of its repository`)
  },
  normalName: (name) => name,
  normalVersion: (version) => version,
  compareVersions: (a, b) => (goVersionKey(a) < goVersionKey(b) ? -1 : 1),
  isPrerelease: isGoPrerelease,
  address: (site_url, workspace) => addressOf(site_url, workspace),
  fileUrl: () => null,
  exampleName: (workspace) => `${workspace}/hello`,
  install: (context) => [
    { client: 'go', file: null, code: `${settings(context)}\ngo get ${context.name}` },
  ],
  publish: (context) => [
    {
      client: 'go.mod',
      file: 'go.mod',
      code: `module ${hostOf(context)}/${context.name}\n\ngo 1.22`,
    },
    { client: 'git', file: null, code: 'git tag v1.0.0\ngit push origin v1.0.0' },
    {
      client: 'go',
      file: null,
      code: `${settings(context)}\ngo get ${hostOf(context)}/${context.name}@v1.0.0`,
    },
  ],
  renderDocument: () => null,
  sourceOf: () => null,
}
