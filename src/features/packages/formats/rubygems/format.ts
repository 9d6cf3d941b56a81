import { compareKeys } from '#lib/versions/sort-key.ts'
import { gemKey, isGemPrerelease } from '#lib/versions/gem.ts'
import type { Format, JobClient } from '../../format.ts'
import { textOf } from '../json.ts'
import { withToken } from '../client-address.ts'
import { renderInfo, splitGemNumber } from './gem-index.ts'
import { parseGemName } from './read-gem.ts'

const addressOf = (site_url: string, workspace: string): string =>
  `${site_url}/packages/${workspace}/rubygems`

export const TEXT = 'text/plain; charset=utf-8'

const keyOf = (number: string): string => gemKey(splitGemNumber(number).version)

/** A setting of bundler in `.bundle/config` (`Bundler::Settings#key_for`). */
const bundlerKey = (url: string): string =>
  `BUNDLE_${url.replaceAll('.', '__').replaceAll('-', '___').toUpperCase()}`

const jobFiles = ({ workspace, site_urls, token }: JobClient) => ({
  '.gem/credentials': [
    '---',
    ...site_urls.map((url) => `${addressOf(url, workspace)}: ${token}`),
    '',
  ].join('\n'),
  '.bundle/config': [
    '---',
    ...site_urls.map((url) => `${bundlerKey(`${addressOf(url, workspace)}/`)}: "token:${token}"`),
    '',
  ].join('\n'),
})

export const rubygems: Format = {
  type: 'rubygems',
  parseName: parseGemName,
  normalName: (name) => name,
  normalVersion: (version) => version,
  compareVersions: (a, b) => compareKeys(keyOf(a), keyOf(b)),
  isPrerelease: (number) => isGemPrerelease(splitGemNumber(number).version),
  address: (site_url, workspace) => `${addressOf(site_url, workspace)}/`,
  fileUrl: (site_url, workspace, _name, path) => `${addressOf(site_url, workspace)}/gems/${path}`,
  exampleName: () => 'hello',
  install: ({ site_url, workspace, name, version, isPrivate }) => [
    {
      client: 'Gemfile',
      file: 'Gemfile',
      code: `source "${addressOf(site_url, workspace)}" do\n  gem "${name}"${
        version === null ? '' : `, "${splitGemNumber(version).version}"`
      }\nend`,
    },
    {
      client: 'bundler',
      file: null,
      code: `${isPrivate ? `bundle config set --global ${addressOf(site_url, workspace)}/ token:$HEARTH_TOKEN\n` : ''}bundle install`,
    },
    {
      client: 'gem',
      file: null,
      code: `gem install ${name}${
        version === null ? '' : ` --version ${splitGemNumber(version).version}`
      } --source ${isPrivate ? withToken(addressOf(site_url, workspace)) : addressOf(site_url, workspace)}/`,
    },
  ],
  publish: ({ site_url, workspace, name, version }) => [
    {
      client: 'gem',
      file: null,
      code: `gem build ${name}.gemspec\nGEM_HOST_API_KEY=$HEARTH_TOKEN gem push ${name}-${
        version ?? '1.0.0'
      }.gem --host ${addressOf(site_url, workspace)}`,
    },
  ],
  jobFiles,
  renderDocument: (hearth, row, _workspace, kind) =>
    kind === 'info' ? { text: renderInfo(hearth.db, row.id), content_type: TEXT } : null,
  sourceOf: ({ metadata, homepage }) => {
    const uri =
      typeof metadata === 'object' && metadata !== null
        ? (metadata as Record<string, unknown>).source_code_uri
        : null
    return textOf(uri) ?? textOf(homepage)
  },
}
