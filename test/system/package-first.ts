/**
 * The first package of each registry, by what the page Packages of an empty workspace shows: each
 * text is taken from the page as it is and pasted into a shell, in a project that is as small as its
 * client takes it. Then the package has to be there. Images are not among them, because their build
 * needs an engine. A client that is not installed is named.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { Client } from './package-clients/client.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const { workspace } = OWNER

type Walk = {
  readonly type: string
  /** The client, as the page names it. */
  readonly client: string
  readonly programs: readonly string[]
  readonly name: string
  /** The project that the person has, by path. */
  readonly project: Readonly<Record<string, string>>
  /** What the person did before, in the folder of the project. */
  readonly before?: string
}

const POM = `<project><modelVersion>4.0.0</modelVersion><groupId>com.acme</groupId><artifactId>hello</artifactId>
<version>1.0.0</version><packaging>pom</packaging>
%DISTRIBUTION%
</project>`
const GEMSPEC = `Gem::Specification.new do |s|
  s.name = 'hello'; s.version = '1.0.0'; s.summary = 'Hello'; s.authors = ['Ada']; s.license = 'MIT'
  s.homepage = 'https://example.com'; s.files = ['hello.gemspec']
end
`
const NUSPEC = `<?xml version="1.0"?><package><metadata><id>Hello</id><version>1.0.0</version><authors>Ada</authors>
<description>Hello</description></metadata><files><file src="Hello.nuspec" target="content" /></files></package>`
const GIT = 'git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm one'

const WALKS: readonly Walk[] = [
  {
    ...{ type: 'npm', client: 'npm', programs: ['npm'], name: `@${workspace}/hello` },
    project: { 'package.json': `{"name":"@${workspace}/hello","version":"1.0.0"}` },
  },
  {
    ...{ type: 'cargo', client: 'cargo', programs: ['cargo'], name: 'hello' },
    project: {
      'Cargo.toml':
        '[package]\nname = "hello"\nversion = "1.0.0"\nedition = "2021"\ndescription = "x"\nlicense = "MIT"\n',
      'src/lib.rs': '',
    },
    before: GIT,
  },
  {
    ...{ type: 'maven', client: 'mvn', programs: ['mvn'], name: 'com.acme:hello' },
    project: { 'pom.xml': POM },
  },
  {
    ...{ type: 'nuget', client: 'nuget', programs: ['nuget'], name: 'Hello' },
    project: { 'Hello.nuspec': NUSPEC },
  },
  {
    ...{ type: 'rubygems', client: 'gem', programs: ['gem'], name: 'hello' },
    project: { 'hello.gemspec': GEMSPEC },
  },
  {
    ...{ type: 'composer', client: 'curl', programs: ['git', 'curl'], name: `${workspace}/hello` },
    project: { 'composer.json': `{"name":"${workspace}/hello"}` },
    before: GIT,
  },
  {
    ...{ type: 'pypi', client: 'uv', programs: ['uv'], name: 'hello' },
    project: {
      'pyproject.toml': '[project]\nname = "hello"\nversion = "1.0.0"\n',
      'hello.py': 'x = 1\n',
    },
  },
  {
    ...{ type: 'generic', client: 'curl', programs: ['curl'], name: 'hello' },
    project: { 'hello.tar.gz': 'anything' },
  },
]

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}
const plain = (html: string): string =>
  html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)

type Block = { readonly label: string; readonly text: string }

/** The texts that the page shows for a registry, alone when the list is filtered to it. */
async function readBlocks(url: string, cookie: string, type: string): Promise<Block[]> {
  const page = await fetch(`${url}/${workspace}/-/packages?type=${type}`, { headers: { cookie } })
  const html = await page.text()
  const [, shown = ''] = html.split('<div class="snippets">')
  const blocks = shown.matchAll(
    /<p class="small strong">(.*?)<\/p>.*?<pre[^>]*>\s*<code>(.*?)<\/code>/gs,
  )
  return [...blocks].map(([, label = '', text = '']) => ({
    label: plain(label),
    text: plain(text),
  }))
}

/** Puts a file where its name says: in the home, in the project, or into the POM. */
function place(client: Client, { label, text }: Block, project: string): void {
  if (label === 'pom.xml') client.write(`${project}/pom.xml`, POM.replace('%DISTRIBUTION%', text))
  else if (label.startsWith('~/')) client.write(`home/${label.slice(2)}`, text)
  else client.write(`${project}/${label}`, text)
}

const isFile = ({ label }: Block): boolean => label.includes('.')

async function walk(
  client: Client,
  { type, client: wanted, name, project, before }: Walk,
  cookie: string,
): Promise<void> {
  const { url, token } = client.place
  for (const [path, text] of Object.entries(project)) client.write(`project/${path}`, text)
  const blocks = await readBlocks(url, cookie, type)
  for (const block of blocks.filter(isFile)) place(client, block, 'project')
  const commands = blocks.find(({ label }) => label === wanted)?.text
  client.check(`${type}: the page shows what to paste`, commands !== undefined)
  if (before !== undefined) await client.succeeds(`${type}: git`, 'project', ['sh', '-c', before])
  // Java does not look into `HOME`.
  const environment = {
    HEARTH_TOKEN: token,
    // The way to the registry of Python that this machine has.
    ...Object.fromEntries(
      Object.entries(process.env).filter(([key]) => /^(?:UV|PIP|SSL)_/.test(key)),
    ),
    MAVEN_OPTS: `-Duser.home=${client.path('home')}`,
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(process.env.HOME ?? '', '.rustup'),
  }
  // As pasted: what reads from the terminal takes the lines that follow.
  client.write('project.sh', commands ?? '')
  const paste = ['sh', '-c', 'bash -e < ../project.sh']
  await client.succeeds(`${type}: pasted into a shell`, 'project', paste, environment)
  const record = `${url}/api/v1/workspaces/${workspace}/packages/${type}/${encodeURIComponent(name)}`
  const found = await fetch(record, { headers: { authorization: `Bearer ${token}` } })
  client.check(`${type}: the package is there`, found.status === 200, await found.text())
}

await runScript('bun test/system/package-first.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync('/tmp/package-first-')
  const forge = await startForge({
    executable: requireBuilt(options.executable),
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  let failures = 0
  try {
    const { token, cookie } = await claim(forge)
    for (const one of WALKS) {
      const missing = one.programs.filter((program) => Bun.which(program) === null)
      if (missing.length > 0) {
        process.stdout.write(`${one.type}: left out, ${missing.join(' and ')} not installed\n`)
        failures += process.env.CI ? 1 : 0
        continue
      }
      const own = join(directory, one.type)
      for (const folder of ['home', 'project']) mkdirSync(join(own, folder), { recursive: true })
      const at = { url: forge.url, workspace, token, directory: own, tools: tmpdir() }
      const client = new Client('first', at)
      await walk(client, one, cookie)
      failures += client.failures
    }
  } finally {
    await forge.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  process.stdout.write(`${failures} failures\n`)
  return failures === 0 ? 0 : 1
})
