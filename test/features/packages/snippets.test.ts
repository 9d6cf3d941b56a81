import { expect, test } from 'bun:test'
import type { Format, SnippetContext } from '#features/packages/format.ts'
import { FORMATS, formatOf } from '#features/packages/formats/index.ts'

const context: SnippetContext = {
  ...{ site_url: 'https://forge.example', workspace: 'acme', name: 'hello' },
  ...{ version: '1.0.0', path: null, artifact_type: null, isPrivate: true },
}

const contextOf = (format: Format, change: Partial<SnippetContext>): SnippetContext => ({
  ...{ ...context, name: format.exampleName('acme') },
  ...change,
})

const installText = (format: Format, change: Partial<SnippetContext>): string =>
  format
    .install(contextOf(format, change))
    .map(({ code }) => code)
    .join('\n')

/** A module is a repository, and one crate that is private makes the index ask for a token. */
const ALWAYS_WITH_TOKEN = ['cargo', 'go']

test('lines to install have a token while the package is private, and none while it is public', () => {
  for (const format of FORMATS) {
    expect([format.type, installText(format, {})]).toEqual([
      format.type,
      expect.stringContaining('HEARTH_TOKEN'),
    ])
    if (ALWAYS_WITH_TOKEN.includes(format.type)) continue
    expect(installText(format, { isPrivate: false })).not.toContain('HEARTH_TOKEN')
  }
})

test('a chart is installed with helm, by the version that its tag stands for', () => {
  const format = formatOf('container')
  if (format === null) throw new Error('no containers')
  const artifact_type = 'application/vnd.cncf.helm.config.v1+json'
  const chart = { artifact_type, name: 'charts/hello', version: '1.2.3_b.1', isPrivate: false }
  expect(format.install({ ...context, ...chart })).toEqual([
    {
      client: 'helm pull',
      file: null,
      code: 'helm pull oci://forge.example/acme/charts/hello --version 1.2.3+b.1',
    },
    {
      client: 'helm',
      file: null,
      code: 'helm install hello oci://forge.example/acme/charts/hello --version 1.2.3+b.1',
    },
  ])
  const own = format.install({ ...context, ...chart, isPrivate: true, site_url: 'http://a.test' })
  expect(own[0]?.code).toBe(
    'echo $HEARTH_TOKEN | helm registry login --plain-http a.test --username token --password-stdin\nhelm pull oci://a.test/acme/charts/hello --version 1.2.3+b.1 --plain-http',
  )
})

/** What clients need to be told of a site without encryption. */
const UNENCRYPTED: Readonly<Record<string, string>> = {
  composer: 'composer config secure-http false',
  container: 'podman pull --tls-verify=false',
  maven: 'isAllowInsecureProtocol = true',
  npm: 'unsafeHttpWhitelist: ["forge.example"]',
  nuget: 'allowInsecureConnections="true"',
}

test('clients that refuse a site without encryption are told to take it, and no others', () => {
  for (const [type, words] of Object.entries(UNENCRYPTED)) {
    const format = formatOf(type as Format['type'])
    if (format === null) throw new Error(`no format ${type}`)
    expect(installText(format, { site_url: 'http://forge.example' })).toContain(words)
    expect(installText(format, {})).not.toContain(words)
  }
})

test('each client of a kind of package has its lines once', () => {
  for (const format of FORMATS)
    for (const snippets of [format.install, format.publish]) {
      const shown = snippets(contextOf(format, {})).map(({ client, file }) => file ?? client)
      expect(shown).toEqual([...new Set(shown)])
    }
})

test('yarn sends the token for a package without a scope too', () => {
  const npm = formatOf('npm')
  const file = npm?.install(context).find((snippet) => snippet.file === '.yarnrc.yml')
  expect(file?.code).toContain('npmAlwaysAuth: true')
})
