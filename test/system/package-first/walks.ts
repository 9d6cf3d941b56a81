/** The smallest projects that clients publish, and those that install them. */
import { OWNER } from '../../../scripts/support/forge.ts'

const { workspace } = OWNER

/** The files of a project, by path. */
export type Project = Readonly<Record<string, string>>

/** A client that installs what was published, by the lines on the page of the package. */
export type Install = {
  /** As the page names it. */
  readonly client: string
  readonly programs: readonly string[]
  readonly project?: Project
  /** A command that fails where the package is not installed. */
  readonly proof: string
}

export type Walk = {
  readonly type: string
  /** The client, as the page names it. */
  readonly client: string
  readonly programs: readonly string[]
  readonly name: string
  readonly project: Project
  /** What the person did before, in the folder of the project. */
  readonly before?: string
  readonly installs: readonly Install[]
}

/** Stands in a file of a project for the text of the page that belongs there. */
export const TEXT_OF_PAGE = '%TEXT OF THE PAGE%'

const pomOf = (name: string): string =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>com.${workspace}</groupId><artifactId>${name}</artifactId>
<version>1.0.0</version>
${TEXT_OF_PAGE}
</project>`

const GEMSPEC = `Gem::Specification.new do |s|
  s.name = 'hello'; s.version = '1.0.0'; s.summary = 'Hello'; s.authors = ['Ada']; s.license = 'MIT'
  s.homepage = 'https://example.com'; s.files = ['hello.gemspec']
end
`
const NUSPEC = `<?xml version="1.0"?><package><metadata><id>Hello</id><version>1.0.0</version><authors>Ada</authors>
<description>Hello</description></metadata><files><file src="Hello.nuspec" target="content" /></files></package>`

const COMMIT = 'git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm one'

const crate = (name: string): Project => ({
  'Cargo.toml': `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\ndescription = "x"\nlicense = "MIT"\n`,
  'src/lib.rs': '',
})

const python = (name: string, module: string): Project => ({
  'pyproject.toml': `[project]\nname = "${name}"\nversion = "1.0.0"\n[tool.setuptools]\npy-modules = ["${module}"]\n`,
  [`${module}.py`]: 'x = 1\n',
})

const NODE_APP = { 'package.json': '{"name":"app","version":"1.0.0","private":true}' }
const nodeInstall = (client: string, project: Project = {}): Install => ({
  ...{ client, programs: [client], project: { ...NODE_APP, ...project } },
  proof: `test -f node_modules/@${workspace}/hello/package.json`,
})

const pythonInstalls = (module: string): Install[] => [
  { client: 'pip', programs: ['pip'], proof: `test -f packages/${module}.py` },
  {
    ...{ client: 'uv', programs: ['uv'], proof: `ls .venv/lib/*/site-packages/${module}.py` },
    project: {
      'pyproject.toml':
        '[project]\nname = "app"\nversion = "1.0.0"\nrequires-python = ">=3.9"\ndependencies = []\n',
    },
  },
]

export const WALKS: readonly Walk[] = [
  {
    ...{ type: 'container', client: 'podman', programs: ['podman'], name: 'hello' },
    project: { Containerfile: 'FROM scratch\nCOPY hello /hello\n', hello: 'hello' },
    installs: [
      {
        ...{ client: 'podman', programs: ['podman'] },
        proof: 'podman images --format "{{.Repository}}" | grep /hello',
      },
    ],
  },
  {
    ...{ type: 'container', client: 'helm', programs: ['helm'], name: 'hello-chart' },
    project: {
      'Chart.yaml': 'apiVersion: v2\nname: hello-chart\nversion: 1.0.0+first\n',
      'templates/nothing.yaml': '',
    },
    installs: [
      {
        ...{ client: 'helm pull', programs: ['helm'] },
        proof: 'tar xOf hello-chart-1.0.0+first.tgz hello-chart/Chart.yaml | grep hello-chart',
      },
    ],
  },
  {
    ...{ type: 'npm', client: 'npm', programs: ['npm'], name: `@${workspace}/hello` },
    project: { 'package.json': `{"name":"@${workspace}/hello","version":"1.0.0"}` },
    installs: [
      ...['npm', 'pnpm', 'bun'].map((client) => nodeInstall(client)),
      // Without it, yarn takes the folder for a part of a larger project.
      {
        ...nodeInstall('yarn', { 'yarn.lock': '' }),
        proof: `yarn node -p 'require.resolve("@${workspace}/hello/package.json")'`,
      },
    ],
  },
  {
    ...{ type: 'cargo', client: 'cargo', programs: ['cargo'], name: 'hello' },
    ...{ project: crate('hello'), before: COMMIT },
    installs: [
      { client: 'cargo', programs: ['cargo'], project: crate('app'), proof: 'cargo fetch' },
    ],
  },
  {
    ...{ type: 'maven', client: 'mvn', programs: ['mvn'], name: `com.${workspace}:hello` },
    project: { 'pom.xml': pomOf('hello') },
    installs: [
      {
        ...{ client: 'mvn', programs: ['mvn'], project: { 'pom.xml': pomOf('app') } },
        proof: `test -f ~/.m2/repository/com/${workspace}/hello/1.0.0/hello-1.0.0.jar`,
      },
    ],
  },
  {
    ...{ type: 'nuget', client: 'nuget', programs: ['nuget'], name: 'Hello' },
    project: { 'Hello.nuspec': NUSPEC },
    installs: [
      {
        ...{ client: 'nuget', programs: ['nuget'] },
        proof: 'test -f packages/Hello.1.0.0/Hello.1.0.0.nupkg',
      },
    ],
  },
  {
    ...{ type: 'rubygems', client: 'gem', programs: ['gem'], name: 'hello' },
    project: { 'hello.gemspec': GEMSPEC },
    installs: [
      { client: 'bundler', programs: ['bundle'], proof: 'bundle show hello' },
      { client: 'gem', programs: ['gem'], proof: 'gem list --local hello | grep 1.0.0' },
    ],
  },
  {
    ...{ type: 'composer', client: 'curl', programs: ['git', 'curl'], name: `${workspace}/hello` },
    ...{ project: { 'composer.json': `{"name":"${workspace}/hello"}` }, before: COMMIT },
    installs: [
      {
        ...{ client: 'composer', programs: ['composer', 'php'] },
        // The public registry is not asked, because it may be out of reach.
        project: { 'composer.json': '{"repositories":{"packagist.org":false}}' },
        proof: `test -f vendor/${workspace}/hello/composer.json`,
      },
    ],
  },
  {
    ...{ type: 'pypi', client: 'uv', programs: ['uv'], name: `${workspace}-hello` },
    project: python(`${workspace}-hello`, 'hello'),
    installs: pythonInstalls('hello'),
  },
  {
    ...{ type: 'pypi', client: 'twine', programs: ['python', 'twine'], name: `${workspace}-twine` },
    project: python(`${workspace}-twine`, 'twined'),
    installs: pythonInstalls('twined'),
  },
  {
    ...{ type: 'generic', client: 'curl', programs: ['curl'], name: 'hello' },
    project: { 'hello.tar.gz': 'anything' },
    installs: [{ client: 'curl', programs: ['curl'], proof: 'test -s hello.tar.gz' }],
  },
]
