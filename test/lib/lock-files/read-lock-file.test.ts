import { describe, expect, test } from 'bun:test'
import { LockFileFault } from '#lib/lock-files/locked-packages.ts'
import { packageUrl } from '#lib/lock-files/package-url.ts'
import { isLockFile, manifestPath, readLockFile } from '#lib/lock-files/read-lock-file.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (path: string, text: string, manifest: string | null = null) =>
  readLockFile({ path, data: bytes(text), manifest: manifest === null ? null : bytes(manifest) })
    .packages

/** `name version`, with `!` for direct ones, `?` where it is not known, and `dev`. */
const shown = (path: string, text: string, manifest: string | null = null) =>
  read(path, text, manifest).map(
    ({ name, version, isDirect, isDevelopment }) =>
      `${name} ${version}${isDirect === null ? '?' : isDirect ? '!' : ''}${isDevelopment ? ' dev' : ''}`,
  )

describe('npm', () => {
  const lock = JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { a: '^1', alias: 'npm:real@2' }, devDependencies: { d: '1' } },
      'node_modules/a': { version: '1.2.0', license: 'MIT', dependencies: { b: '^1' } },
      'node_modules/a/node_modules/b': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', dev: true },
      'node_modules/alias': { name: 'real', version: '2.0.0' },
      'node_modules/@s/w': { resolved: 'packages/w', link: true },
      'node_modules/d': { version: '1.0.0', dev: true },
      'packages/w': { name: '@s/w', version: '1.0.0', dependencies: { b: '^2' } },
    },
  })
  test('folders are read with what asks for what, without links and workspaces', () => {
    expect(shown('package-lock.json', lock)).toEqual([
      'a 1.2.0!',
      'b 1.0.0',
      'b 2.0.0! dev',
      'real 2.0.0!',
      'd 1.0.0! dev',
    ])
    const [a] = read('package-lock.json', lock)
    expect([a?.license, a?.requires]).toEqual(['MIT', [1]])
  })
  test('the first version of the file is nested, and package.json says what is direct', () => {
    const old = JSON.stringify({
      dependencies: {
        a: { version: '1.0.0', requires: { b: '^2' }, dependencies: { b: { version: '2.0.0' } } },
        b: { version: '1.0.0', dev: true },
        git: { version: 'git+ssh://git@example.com/x.git#abc' },
      },
    })
    expect(shown('package-lock.json', old)).toEqual(['a 1.0.0?', 'b 1.0.0? dev', 'b 2.0.0?'])
    expect(shown('package-lock.json', old, '{"dependencies":{"a":"1"}}')).toEqual([
      'a 1.0.0!',
      'b 1.0.0 dev',
      'b 2.0.0',
    ])
  })
  test('yarn 1 and later, with names in quotes and development found by the graph', () => {
    const classic = `# yarn lockfile v1

"@s/a@^1.0.0", "@s/a@^1.1.0":
  version "1.1.0"
  dependencies:
    b "^2.0.0"

b@^2.0.0:
  version "2.3.0"

other@npm:real@^1.0.0:
  version "1.0.4"

t@^1.0.0:
  version "1.0.0"
`
    const json = '{"dependencies":{"@s/a":"^1.0.0"},"devDependencies":{"t":"^1.0.0"}}'
    expect(shown('web/yarn.lock', classic, json)).toEqual([
      '@s/a 1.1.0!',
      'b 2.3.0',
      'real 1.0.4 dev',
      't 1.0.0! dev',
    ])
    const berry = `__metadata:
  version: 6

"a@npm:^1.0.0":
  version: 1.0.1
  resolution: "a@npm:1.0.1"
  dependencies:
    b: ^2.0.0

"b@npm:^2.0.0":
  version: 2.0.0
  resolution: "b@npm:2.0.0"

"site@workspace:.":
  version: 0.0.0-use.local
  resolution: "site@workspace:."
  dependencies:
    a: ^1.0.0
  languageName: unknown
`
    expect(shown('yarn.lock', berry)).toEqual(['a 1.0.1!', 'b 2.0.0'])
  })
  test('pnpm in its forms of keys', () => {
    const nine = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1, version: 1.0.0(p@2.0.0)}
    devDependencies:
      d: {specifier: ^1, version: 1.0.0}
packages:
  a@1.0.0: {resolution: {integrity: x}}
  d@1.0.0: {resolution: {integrity: x}}
  p@2.0.0: {resolution: {integrity: x}}
snapshots:
  a@1.0.0(p@2.0.0):
    dependencies: {p: 2.0.0}
  d@1.0.0: {}
  p@2.0.0: {}
`
    expect(shown('pnpm-lock.yaml', nine)).toEqual(['a 1.0.0!', 'd 1.0.0! dev', 'p 2.0.0'])
    const five = `lockfileVersion: 5.4
dependencies: {'@s/a': 1.0.0_p@2.0.0}
packages:
  /@s/a/1.0.0_p@2.0.0: {resolution: {integrity: x}, dev: false}
  registry.example.com/b/1.0.0: {resolution: {integrity: x}, dev: true}
`
    expect(shown('pnpm-lock.yaml', five)).toEqual(['@s/a 1.0.0!', 'b 1.0.0 dev'])
  })
  test('bun.lock, which has commas at the end', () => {
    const lock = `{
  "lockfileVersion": 1,
  "workspaces": { "": { "dependencies": { "a": "^1" }, "devDependencies": { "d": "1" } }, },
  "packages": {
    "a": ["a@1.0.0", "", { "dependencies": { "b": "^1" } }, "sha512-x"],
    "b": ["b@2.0.0", "", {}, "sha512-x"],
    "a/b": ["b@1.0.0", "", {}, "sha512-x"],
    "d": ["d@1.0.0", "", {}, "sha512-x"],
  },
}`
    expect(shown('bun.lock', lock)).toEqual(['a 1.0.0!', 'b 2.0.0 dev', 'b 1.0.0', 'd 1.0.0! dev'])
  })
})

describe('other ecosystems', () => {
  test('Cargo leaves its own packages out', () => {
    const lock = `version = 3
[[package]]
name = "own"
version = "0.1.0"
dependencies = ["serde", "rand 0.8.5"]
[[package]]
name = "rand"
version = "0.7.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "rand"
version = "0.8.5"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "serde"
version = "1.0.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
dependencies = ["rand 0.7.0"]
`
    expect(shown('Cargo.lock', lock)).toEqual(['rand 0.7.0', 'rand 0.8.5!', 'serde 1.0.1!'])
  })
  test('Go with replacements and its standard library', () => {
    const mod = `module example.com/x
go 1.22.1
require example.com/a v1.0.0
require (
	example.com/b v2.0.0+incompatible // indirect
	example.com/c v1.0.0
	example.com/local v1.0.0
)
replace example.com/c => example.com/fork v1.5.0
replace example.com/local v1.0.0 => ./local
`
    expect(shown('go.mod', mod)).toEqual([
      'example.com/a 1.0.0!',
      'example.com/b 2.0.0+incompatible',
      'example.com/fork 1.5.0!',
      'stdlib 1.22.1!',
    ])
  })
  test('Python: poetry, uv, Pipfile and pinned requirements', () => {
    const poetry = `[[package]]
name = "Some.Thing"
version = "1.0"
[package.dependencies]
dep = "*"
[[package]]
name = "dep"
version = "2.0"
[[package]]
name = "pytest"
version = "8.0"
`
    const pyproject = `[tool.poetry.dependencies]
python = "^3.11"
some-thing = "^1"
[tool.poetry.group.dev.dependencies]
pytest = "*"
`
    expect(shown('poetry.lock', poetry, pyproject)).toEqual([
      'some-thing 1.0!',
      'dep 2.0',
      'pytest 8.0! dev',
    ])
    const uv = `[[package]]
name = "own"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "idna" }]
[package.dev-dependencies]
dev = [{ name = "ruff" }]
[[package]]
name = "idna"
version = "3.7"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "ruff"
version = "0.6"
source = { registry = "https://pypi.org/simple" }
`
    expect(shown('uv.lock', uv)).toEqual(['idna 3.7!', 'ruff 0.6! dev'])
    const pipfile =
      '{"default":{"Flask":{"version":"==2.0"}},"develop":{"black":{"version":"==1"}}}'
    expect(shown('Pipfile.lock', pipfile)).toEqual(['flask 2.0?', 'black 1? dev'])
    expect(
      shown(
        'requirements-dev.txt',
        'A_b[x]==1.0 ; python_version > "3" # why\nc>=2\n-r o.txt\nd == 3\\\n  --hash=x',
      ),
    ).toEqual(['a-b 1.0!', 'd 3!'])
  })
  test('Ruby, PHP, Java, .NET, Elixir, Dart and Swift', () => {
    const gems = `GIT
  remote: https://example.com/x.git
  specs:
    own (1.0)

GEM
  remote: https://rubygems.org/
  specs:
    nokogiri (1.13.3-x86_64-linux)
      racc (~> 1.4)
    racc (1.6.0)

DEPENDENCIES
  nokogiri
  own!
`
    expect(shown('Gemfile.lock', gems)).toEqual(['nokogiri 1.13.3!', 'racc 1.6.0'])
    const composer = JSON.stringify({
      packages: [{ name: 'Acme/A', version: 'v1.0', license: ['MIT'], require: { php: '*' } }],
      'packages-dev': [{ name: 'acme/t', version: '2.0' }],
    })
    expect(shown('composer.lock', composer, '{"require":{"acme/a":"*"}}')).toEqual([
      'acme/a 1.0!',
      'acme/t 2.0 dev',
    ])
    const pom = `<project><properties><v>1.5</v></properties>
<dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>b</artifactId>
<version>2.0</version></dependency></dependencies></dependencyManagement><dependencies>
<dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${v}</version></dependency>
<dependency><groupId>g</groupId><artifactId>b</artifactId><scope>test</scope></dependency>
<dependency><groupId>g</groupId><artifactId>c</artifactId><version>[1,2)</version></dependency>
</dependencies></project>`
    expect(shown('pom.xml', pom)).toEqual(['g:a 1.5!', 'g:b 2.0! dev'])
    expect(
      shown(
        'gradle.lockfile',
        '# x\ng:a:1.0=runtimeClasspath\ng:t:2=testRuntimeClasspath\nempty=\n',
      ),
    ).toEqual(['g:a 1.0?', 'g:t 2? dev'])
    const nuget =
      '{"version":1,"dependencies":{"net8.0":{"A":{"type":"Direct","resolved":"1.0.0","dependencies":{"B":"2"}},"B":{"type":"Transitive","resolved":"2.0.0"}}}}'
    expect(shown('packages.lock.json', nuget)).toEqual(['A 1.0.0!', 'B 2.0.0'])
    expect(
      shown('packages.config', '<packages><package id="A" version="1.0" /></packages>'),
    ).toEqual(['A 1.0!'])
    const mix = `%{
  "plug": {:hex, :plug, "1.1.1", "abc", [:mix], [{:cowboy, "~> 1.0", [hex: :cowboy]}], "hexpm"},
  "cowboy": {:hex, :cowboy, "1.0.4", "abc", [:rebar], [], "hexpm"},
  "own": {:git, "https://example.com/own.git", "abc", []},
}`
    expect(shown('mix.lock', mix, 'defp deps do\n [\n  {:plug, "~> 1.1"},\n ]')).toEqual([
      'plug 1.1.1!',
      'cowboy 1.0.4',
    ])
    const pub =
      'packages:\n  a:\n    dependency: "direct main"\n    source: hosted\n    version: "1.0.0"\n  b:\n    dependency: transitive\n    source: hosted\n    version: "2.0.0"\n  c:\n    source: path\n    version: "1"\n'
    expect(shown('pubspec.lock', pub)).toEqual(['a 1.0.0!', 'b 2.0.0'])
    const swift =
      '{"pins":[{"identity":"nio","location":"https://github.com/apple/swift-nio.git","state":{"version":"2.0.0"}}],"version":3}'
    expect(shown('Package.resolved', swift)).toEqual(['github.com/apple/swift-nio 2.0.0?'])
  })
})

test('files that are no lock files, or are hostile, are refused with the reason', () => {
  const fault = (path: string, text: string) => {
    try {
      readLockFile({ path, data: bytes(text), manifest: null })
    } catch (error) {
      if (error instanceof LockFileFault) return error.message
      throw error
    }
    return null
  }
  expect(fault('package-lock.json', '{')).toBe('is no JSON')
  expect(fault('Cargo.lock', '[[package')).toBe('is no TOML')
  expect(fault('pnpm-lock.yaml', 'a: [')).toBe('is no YAML')
  expect(fault('pom.xml', '<!DOCTYPE x><project/>')).toContain('document type')
  expect(fault('pnpm-lock.yaml', '['.repeat(100_000))).not.toBeNull()
  expect(fault('Cargo.lock', `a=${'{a='.repeat(100_000)}`)).not.toBeNull()
  expect(fault('yarn.lock', ' '.repeat(16 * 1024 ** 2 + 1))).toBe('is larger than 16 MiB')
  const many = Array.from({ length: 50_001 }, (_, at) => `p${at}==1`).join('\n')
  expect(fault('requirements.txt', many)).toBe('has more than 50000 packages')
  let nested: object = { version: '1.0.0' }
  for (let depth = 0; depth < 300; depth++)
    nested = { version: '1.0.0', dependencies: { a: nested } }
  expect(fault('package-lock.json', JSON.stringify({ dependencies: { a: nested } }))).toBe(
    'is nested too deeply',
  )
  // Values of other types than a format has are no packages.
  for (const value of [null, [], 1, { packages: [null, 1, 'x', { name: [] }] }, { packages: 'x' }])
    for (const path of ['package-lock.json', 'bun.lock', 'composer.lock', 'packages.lock.json'])
      expect(read(path, JSON.stringify(value))).toEqual([])
  expect(isLockFile('a/Cargo.toml')).toBe(false)
  expect(manifestPath('a/b/yarn.lock')).toBe('a/b/package.json')
})

test('a manifest with a fault says nothing, and its lock file is read', () => {
  expect(shown('composer.lock', '{"packages":[{"name":"a/b","version":"1.0"}]}', '{')).toEqual([
    'a/b 1.0?',
  ])
})

test('package URLs', () => {
  expect(packageUrl('npm', '@s/a', '1.0.0')).toBe('pkg:npm/%40s/a@1.0.0')
  expect(packageUrl('maven', 'org.x:a', '1.0')).toBe('pkg:maven/org.x/a@1.0')
  expect(packageUrl('golang', 'example.com/a/v2', '2.0.0')).toBe(
    'pkg:golang/example.com/a/v2@v2.0.0',
  )
})
