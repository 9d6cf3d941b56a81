/**
 * Makes a release: the executable for each target, Debian packages, a bill of materials, and the checksums of all of them.
 * `bun scripts/release.ts [--out DIR] [--targets linux-x64,linux-arm64] [--twice]`. Runtimes of other targets come from the npm registry as
 * Bun fetches them. `--twice` builds everything again elsewhere and says which bytes differ.
 */
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { packageDeb, releaseEpoch } from './package-deb.ts'
import { billOfMaterials, type Lock } from './spdx.ts'

const root = join(import.meta.dir, '..')
const TARGETS = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl', 'darwin-x64', 'darwin-arm64', 'windows-x64'] as const
const DEBIAN: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part as Uint8Array)
  return hash.digest('hex')
}

/** Everything of a release in a directory. Gives the digest of each file by its name. */
async function make(out: string, targets: readonly string[], epoch: number): Promise<Map<string, string>> {
  mkdirSync(out, { recursive: true })
  const files: string[] = []
  for (const target of targets) {
    const path = join(out, `hearth-${packageJson.version}-${target}${target.startsWith('windows') ? '.exe' : ''}`)
    execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--target', `bun-${target}`, '--outfile', path], { stdio: ['ignore', 'ignore', 'inherit'] })
    files.push(path)
    const arch = DEBIAN[target]
    if (arch !== undefined && Bun.which('dpkg-deb')) files.push(packageDeb({ binary: path, arch, out, epoch }))
  }
  const bill = join(out, `hearth-${packageJson.version}.spdx.json`)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  writeFileSync(bill, billOfMaterials(lock, { created: `${new Date(epoch * 1000).toISOString().slice(0, 19)}Z`, version: packageJson.version }))
  files.push(bill)
  const sums = new Map<string, string>()
  for (const path of files) sums.set(basename(path), await digest(path))
  writeFileSync(join(out, 'SHA256SUMS'), [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''))
  return sums
}

const wanted = option('targets')?.split(',') ?? TARGETS
const unknown = wanted.find((target) => !(TARGETS as readonly string[]).includes(target))
if (unknown !== undefined) {
  process.stderr.write(`there is no target ${unknown}; there are ${TARGETS.join(', ')}\n`)
  process.exit(2)
}
const out = option('out') ?? join(root, 'dist', 'release')
const epoch = releaseEpoch()
const sums = await make(out, wanted, epoch)
for (const [name, sum] of sums) process.stdout.write(`${sum}  ${name}\n`)
if (process.argv.includes('--twice')) {
  const elsewhere = mkdtempSync(join(tmpdir(), 'hearth-release-'))
  const again = await make(elsewhere, wanted, epoch)
  const differ = [...sums].filter(([name, sum]) => again.get(name) !== sum).map(([name]) => name)
  rmSync(elsewhere, { recursive: true, force: true })
  process.stdout.write(differ.length === 0 ? 'built twice, the same bytes\n' : `built twice, and these differ: ${differ.join(', ')}\n`)
  process.exit(differ.length === 0 ? 0 : 1)
}
