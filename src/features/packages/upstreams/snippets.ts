/** Lines for clients that install everything by the address of a workspace, as pages show them. */
import type { Snippet } from '../format.ts'
import { isUnencrypted, withToken } from '../formats/client-address.ts'
import type { Upstream, UpstreamType } from './schema.ts'

type Context = {
  readonly workspace: string
  /** Where the registry of the workspace is. */
  readonly address: string
}

const envName = (slug: string): string => slug.replaceAll('-', '_').toUpperCase()

const npm = ({ address }: Context): Snippet[] => {
  const path = address.replace(/^https?:/, '')
  const code = `registry=${address}\n${path}:_authToken=\${HEARTH_TOKEN}`
  return [
    { client: 'npm', file: '.npmrc', code },
    { client: 'npm', file: null, code: 'npm install' },
  ]
}

const pypi = ({ address }: Context): Snippet[] => {
  const index = withToken(address, '__token__')
  return [
    { client: 'pip', file: null, code: `pip install --index-url ${index} requests` },
    { client: 'uv', file: null, code: `export UV_DEFAULT_INDEX=${index}\nuv pip install requests` },
  ]
}

const cargo = ({ workspace, address }: Context): Snippet[] => [
  {
    client: 'cargo',
    file: '.cargo/config.toml',
    code: `[registries.${workspace}]
index = "${address}"
credential-provider = "cargo:token"

[source.crates-io]
replace-with = "${workspace}"

[source.${workspace}]
registry = "${address}"`,
  },
  {
    client: 'cargo',
    file: null,
    code: `export CARGO_REGISTRIES_${envName(workspace)}_TOKEN=$HEARTH_TOKEN\ncargo fetch`,
  },
]

const go = ({ address }: Context): Snippet[] => [
  {
    client: 'go',
    file: null,
    code: `export GOPROXY=${withToken(address)}\ngo mod download`,
  },
]

const maven = ({ workspace, address }: Context): Snippet[] => [
  {
    client: 'Maven',
    file: '~/.m2/settings.xml',
    code: `<settings>
  <servers>
    <server>
      <id>${workspace}</id>
      <username>token</username>
      <password>\${env.HEARTH_TOKEN}</password>
    </server>
  </servers>
  <mirrors>
    <mirror>
      <id>${workspace}</id>
      <mirrorOf>*</mirrorOf>
      <url>${address}</url>
    </mirror>
  </mirrors>
</settings>`,
  },
]

const container = ({ address }: Context): Snippet[] => [
  {
    client: 'docker',
    file: null,
    code: `echo $HEARTH_TOKEN | docker login ${address.split('/')[0]} --username token --password-stdin\ndocker pull ${address}alpine:latest`,
  },
  { client: 'Containerfile', file: 'Containerfile', code: `FROM ${address}alpine:latest` },
]

const nuget = ({ address }: Context): Snippet[] => [
  {
    client: 'NuGet.Config',
    file: 'NuGet.Config',
    code: `<configuration>
  <packageSources>
    <clear />
    <add key="hearth" value="${address}" protocolVersion="3" />
  </packageSources>
  <packageSourceCredentials>
    <hearth>
      <add key="Username" value="token" />
      <add key="ClearTextPassword" value="%HEARTH_TOKEN%" />
    </hearth>
  </packageSourceCredentials>
</configuration>`,
  },
  { client: 'dotnet', file: null, code: 'dotnet restore' },
]

const rubygems = ({ address }: Context): Snippet[] => [
  {
    client: 'bundler',
    file: null,
    code: `bundle config set --global ${address} token:$HEARTH_TOKEN
bundle config set mirror.https://rubygems.org ${address}
bundle install`,
  },
]

const composer = ({ workspace, address }: Context): Snippet[] => [
  {
    client: 'composer',
    file: null,
    code: [
      `composer config repositories.${workspace} composer ${address.replace(/\/packages\.json$/, '')}`,
      'composer config repositories.packagist.org false',
      ...(isUnencrypted(address) ? ['composer config secure-http false'] : []),
      `composer config --global --auth http-basic.${new URL(address).host} token $HEARTH_TOKEN`,
      'composer install',
    ].join('\n'),
  },
]

const SNIPPETS: Readonly<Record<UpstreamType, (context: Context) => Snippet[]>> = {
  npm,
  pypi,
  cargo,
  go,
  maven,
  container,
  nuget,
  rubygems,
  composer,
}

export const upstreamSnippets = (workspace: string, upstream: Upstream): readonly Snippet[] =>
  SNIPPETS[upstream.package_type]({ workspace, address: upstream.address })
