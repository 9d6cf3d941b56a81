/**
 * Gives the bills of materials of the executable to the tools that others read them with: pyspdxtools
 * and the validator of cyclonedx-python-lib find no fault in them. Of repositories that are pushed,
 * and of the lock files of every ecosystem. `--tools` is a virtual environment of Python with
 * spdx-tools and cyclonedx-python-lib[json-validation].
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { claim, EXECUTABLE, requireBuilt, ROOT, startForge } from '../../scripts/support/forge.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  tools: { kind: 'text', default: '', help: 'The virtual environment of Python.' },
  repos: { kind: 'text', default: '', help: 'More bare repositories, between commas.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

/** A repository with a lock file of each ecosystem, with names that are unusual but legal. */
const FILES: Readonly<Record<string, string>> = {
  'web/package-lock.json': JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { name: 'web', dependencies: { '@scope/a.b_c': '^1.0.0' } },
      'node_modules/@scope/a.b_c': { version: '1.0.0-rc.1+build', license: 'MIT OR Apache-2.0' },
      'node_modules/odd': { version: '2.0.0', license: 'SEE LICENSE IN LICENSE.txt' },
    },
  }),
  'api/Cargo.lock': `version = 3

[[package]]
name = "serde"
version = "1.0.200"
source = "registry+https://github.com/rust-lang/crates.io-index"
`,
  'go.mod': 'module example.com/site\n\ngo 1.22\n\nrequire github.com/a/b/v2 v2.1.0+incompatible\n',
  'requirements.txt': 'Zope.Interface==5.0\nrequests[socks]==2.31.0\n',
  'Gemfile.lock':
    'GEM\n  remote: https://rubygems.org/\n  specs:\n    nokogiri (1.13.3-x86_64-linux)\n\nDEPENDENCIES\n  nokogiri\n',
  'composer.lock': JSON.stringify({
    packages: [{ name: 'Acme/Tool', version: 'v1.2.3', license: ['GPL-2.0-only', 'MIT'] }],
    'packages-dev': [],
  }),
  'gradle.lockfile': 'org.slf4j:slf4j-api:2.0.9=runtimeClasspath\nempty=\n',
  'packages.lock.json': JSON.stringify({
    version: 1,
    dependencies: { 'net8.0': { 'Newtonsoft.Json': { type: 'Direct', resolved: '13.0.3' } } },
  }),
  'pubspec.lock':
    'packages:\n  path:\n    dependency: "direct main"\n    description: {name: path, url: "https://pub.dev"}\n    source: hosted\n    version: "1.8.3"\n',
}

const VALIDATE_CYCLONEDX = `import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
print(error or '')
sys.exit(1 if error else 0)
`

const say = (line: string): void => void process.stdout.write(`${line}\n`)

type Forge = { readonly url: string; readonly token: string }

async function ask(forge: Forge, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${forge.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${forge.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text
}

async function push(forge: Forge, repo: string, name: string): Promise<void> {
  await ask(forge, 'POST', '/repos', { workspace: 'acme', name, private: true })
  const settings = { push_protection: false, secret_scanning: false }
  await ask(forge, 'PATCH', `/repos/acme/${name}/settings`, settings)
  const login = Buffer.from(`x:${forge.token}`).toString('base64')
  const config = ['-c', `http.extraHeader=Authorization: Basic ${login}`]
  const address = `${forge.url}/acme/${name}.git`
  await Bun.$`git ${config} -C ${repo} push -q ${address} HEAD:refs/heads/main`.quiet()
}

/** A repository with the files above and the lock file of this one. */
async function makeRepository(directory: string): Promise<string> {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  cpSync(join(ROOT, 'package-lock.json'), join(directory, 'package-lock.json'))
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'))
  const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await Bun.$`git -C ${directory} init -q -b main && git -C ${directory} add -A && git -C ${directory} ${as} commit -qm All`.quiet()
  return directory
}

/** How many documents of a repository a tool refuses. */
async function check(forge: Forge, name: string, tools: string, scratch: string): Promise<number> {
  const validator = join(scratch, 'validate.py')
  writeFileSync(validator, VALIDATE_CYCLONEDX)
  let faults = 0
  for (const [format, command] of [
    ['spdx', (file: string) => [join(tools, 'bin/pyspdxtools'), '-i', file]],
    ['cyclonedx', (file: string) => [join(tools, 'bin/python'), validator, file]],
  ] as const) {
    const text = await ask(forge, 'GET', `/repos/acme/${name}/dependencies/sbom?format=${format}`)
    const file = join(scratch, `${name}.${format}.json`)
    writeFileSync(file, text)
    const document = JSON.parse(text) as { packages?: unknown[]; components?: unknown[] }
    const count = (document.packages ?? document.components ?? []).length
    const { exitCode, stdout, stderr } = await Bun.$`${command(file)}`.quiet().nothrow()
    say(`${name}: ${format} of ${count} packages ${exitCode === 0 ? 'is valid' : 'is refused'}`)
    if (exitCode === 0) continue
    faults++
    say(`${stdout.toString()}${stderr.toString()}`.slice(0, 4000))
  }
  return faults
}

await runScript('bun test/system/sbom-peers.ts --tools DIR [options]', OPTIONS, async (given) => {
  if (given.tools === '') throw new OptionError('--tools is required')
  const scratch = mkdtempSync(join(tmpdir(), 'hearth-sbom-'))
  chmodSync(scratch, 0o755)
  const running = await startForge({
    executable: requireBuilt(resolve(given.executable)),
    data: join(scratch, 'data'),
    log: join(scratch, 'serve.log'),
  })
  try {
    const forge = { url: running.url, token: (await claim(running)).token }
    const repos = given.repos.split(',').filter((path) => path !== '')
    const all = [await makeRepository(join(scratch, 'made')), ...repos.map((path) => resolve(path))]
    let faults = 0
    for (const [at, repo] of all.entries()) {
      await push(forge, repo, `site${at}`)
      faults += await check(forge, `site${at}`, resolve(given.tools), scratch)
    }
    return faults === 0 ? 0 : 1
  } finally {
    await running.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
})
